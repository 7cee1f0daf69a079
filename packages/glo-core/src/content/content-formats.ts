/** Text formats for a schema's `format`, in addition to quantities, with the detail for an invalid text. */
export const textFormats: Readonly<Record<string, { test(text: string): boolean; detail: string }>> = {
  // Several character classes in sequence, because a repeated group of four takes 50 ms for a megabyte.
  base64: {
    test: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
    detail: 'must be base64 with padding (RFC 4648, section 4)',
  },
  hex: {
    test: (text) => text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text),
    detail: 'must be 0x followed by an even number of hexadecimal digits',
  },
  uri: {
    test: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(text),
    detail: 'must be an absolute URI (RFC 3986)',
  },
  pem: {
    test: (text) =>
      // Allows lines of other text between PEM blocks, which tools write.
      /^\s*-----BEGIN [A-Z0-9 ]{1,64}-----[\s\S]+-----END [A-Z0-9 ]{1,64}-----\s*$/.test(text),
    detail: 'must be PEM (RFC 7468)',
  },
};
