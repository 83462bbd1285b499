// SPDX-License-Identifier: Apache-2.0
//
// libcurl's two variadic functions as typed ones, since Swift cannot call variadic C.
#pragma once
#include <curl/curl.h>

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *_Nullable text) {
  return curl_easy_setopt(easy, option, text);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *_Nullable pointer) {
  return curl_easy_setopt(easy, option, pointer);
}

static inline CURLcode ccurl_set_callback(CURL *easy, CURLoption option,
                                          curl_write_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_socket_setup(CURL *easy, curl_sockopt_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, callback);
}

static inline CURLcode ccurl_set_close_socket(CURL *easy, curl_closesocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_host_key_check(CURL *easy, curl_sshkeycallback callback) {
  return curl_easy_setopt(easy, CURLOPT_SSH_KEYFUNCTION, callback);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline long ccurl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline curl_off_t ccurl_get_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline const char *_Nullable ccurl_get_text(CURL *easy, CURLINFO info) {
  char *text = NULL;
  curl_easy_getinfo(easy, info, &text);
  return text;
}
