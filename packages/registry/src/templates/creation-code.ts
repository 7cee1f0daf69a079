import { invalidRequest } from '@ledger-ops/base';

const maxBytes = 1_048_576;

/** Placeholder that compilers write in place of a library's address: `__$<hash>$__`, or `__<name>___` in old versions. */
const placeholder = /__(?:\$[0-9a-fA-F]{34}\$__|[A-Za-z0-9_$:./-]{1,36}_{2})/;

/**
 * Checks creation code: `0x` followed by whole bytes in hex, at most 1 MiB, with all libraries linked. Returns it in
 * lowercase.
 *
 * @throws Problem `invalid-request` at the pointer.
 */
export function checkCode(code: string, pointer: string): string {
  const refuse = (detail: string) => invalidRequest([{ pointer, detail }]);
  if (code.length > 2 + 2 * maxBytes) throw refuse(`must have at most ${maxBytes} bytes`);
  if (!/^0x[0-9a-fA-F]+$/.test(code)) {
    const library = placeholder.exec(code);
    throw library === null
      ? refuse('must be 0x followed by the hexadecimal digits of the creation code')
      : refuse(
          `has an unlinked library: ${library[0]} at character ${library.index}; deploy the library and link its address first`,
        );
  }
  if (code.length % 2 === 1) throw refuse('must have an even number of hexadecimal digits');
  return code.toLowerCase();
}
