// SPDX-License-Identifier: Apache-2.0
//
// The server's side of TLS for one accepted socket, for the tests of https.
#pragma once

typedef struct ctls ctls;

/// Shakes hands over `descriptor` with the certificate and key in two PEM files; NULL when that
/// fails. The descriptor stays the caller's.
ctls *_Nullable ctls_accept(int descriptor, const char *_Nonnull certificate,
                            const char *_Nonnull key);

/// Reads up to `size` bytes; 0 or less at the end.
int ctls_read(ctls *_Nonnull tls, void *_Nonnull bytes, int size);

/// Writes all bytes; 0 or less when the client is gone.
int ctls_write(ctls *_Nonnull tls, const void *_Nonnull bytes, int size);

/// Ends TLS, with close_notify when `cleanly`, and frees it.
void ctls_close(ctls *_Nonnull tls, int cleanly);
