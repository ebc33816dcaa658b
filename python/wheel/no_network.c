/* In the wheel these stand for libcurl.so.4 and libcrypto.so.3, of which Debian's HDF5 asks for a driver that reads files from the
   web. Cuttle reads none: without them the wheel needs no network libraries and none of theirs, some of them under the LGPL.
   Every function fails as the real one says that it failed. */
#ifdef CURL
void* curl_easy_init(void) { return 0; }
void curl_easy_cleanup(void* handle) { (void)handle; }
int curl_easy_perform(void* handle) { return (void)handle, 2; } /* CURLE_FAILED_INIT */
int curl_easy_setopt(void* handle, int option, ...) { return (void)handle, (void)option, 2; }
int curl_global_init(long flags) { return (void)flags, 2; }
void curl_global_cleanup(void) {}
void* curl_slist_append(void* list, const char* text) { return (void)list, (void)text, (void*)0; }
void curl_slist_free_all(void* list) { (void)list; }
#else
const void* EVP_sha256(void) { return 0; }
unsigned char* HMAC(void) { return 0; }
unsigned char* SHA256(void) { return 0; }
#endif
