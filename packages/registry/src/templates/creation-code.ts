import { invalidRequest } from '@ledger-ops/base';

const maxBytes = 1_048_576;

/** The placeholder that compilers leave where the address of a library belongs: `__$<hash>$__`, formerly `__<name>___`. */
const placeholder = /__(?:\$[0-9a-fA-F]{34}\$__|[A-Za-z0-9_$:./-]{1,36}_{2})/;

/**
 * Checks creation code: `0x` hex of whole bytes, at most 1 MiB, every library linked. Answers it in lower case.
 *
 * @throws Problem `invalid-request` at the pointer.
 */
export function checkCode(code: string, pointer: string): string {
  const refuse = (detail: string) => invalidRequest([{ pointer, detail }]);
  if (code.length > 2 + 2 * maxBytes) throw refuse(`has more than ${maxBytes} bytes`);
  if (!/^0x[0-9a-fA-F]+$/.test(code)) {
    const library = placeholder.exec(code);
    throw library === null
      ? refuse('must be 0x and the hexadecimal digits of the creation code')
      : refuse(
          `has a library that is not linked: ${library[0]} at character ${library.index}; link it to the address of the deployed library first`,
        );
  }
  if (code.length % 2 === 1) throw refuse('has an odd number of hexadecimal digits');
  return code.toLowerCase();
}
