/** Headers that stop uploaded content from running in our origin. */
export const CONTAINED = { "content-security-policy": "sandbox; default-src 'none'" };

/** How the API description explains these headers. */
export const CONTAINED_HEADERS = {
  "Content-Security-Policy": "`sandbox; default-src 'none'`: uploaded content cannot run scripts.",
};
