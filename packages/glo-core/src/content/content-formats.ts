/** The forms of texts that a schema's `format` names, beside quantities, with what is said of a text that has another. */
export const textFormats: Readonly<Record<string, { test(text: string): boolean; detail: string }>> = {
  // One class after the other and not a repeated group of four, which takes fifty milliseconds for a megabyte.
  base64: {
    test: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
    detail: 'must be base64 (RFC 4648, section 4) with padding',
  },
  hex: {
    test: (text) => text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text),
    detail: 'must be 0x and an even number of hexadecimal digits',
  },
  uri: {
    test: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(text),
    detail: 'must be an absolute URI (RFC 3986)',
  },
  pem: {
    test: (text) =>
      // With whatever tools write between several of them.
      /^\s*-----BEGIN [A-Z0-9 ]{1,64}-----[\s\S]+-----END [A-Z0-9 ]{1,64}-----\s*$/.test(text),
    detail: 'must be PEM (RFC 7468)',
  },
};
