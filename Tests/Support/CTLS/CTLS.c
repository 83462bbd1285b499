// SPDX-License-Identifier: Apache-2.0
#include "CTLS.h"

#include <openssl/ssl.h>

static SSL_CTX *make_context(const char *certificate, const char *key) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (context == NULL) return NULL;
  if (SSL_CTX_use_certificate_chain_file(context, certificate) == 1 &&
      SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1) {
    return context;
  }
  SSL_CTX_free(context);
  return NULL;
}

ctls *ctls_accept(int descriptor, const char *certificate, const char *key) {
  SSL_CTX *context = make_context(certificate, key);
  if (context == NULL) return NULL;
  SSL *tls = SSL_new(context);
  SSL_CTX_free(context);
  if (tls == NULL) return NULL;
  if (SSL_set_fd(tls, descriptor) == 1 && SSL_accept(tls) == 1) return (ctls *)tls;
  SSL_free(tls);
  return NULL;
}

int ctls_read(ctls *tls, void *bytes, int size) { return SSL_read((SSL *)tls, bytes, size); }

int ctls_write(ctls *tls, const void *bytes, int size) {
  return SSL_write((SSL *)tls, bytes, size);
}

void ctls_close(ctls *tls, int cleanly) {
  if (cleanly) SSL_shutdown((SSL *)tls);
  SSL_free((SSL *)tls);
}
