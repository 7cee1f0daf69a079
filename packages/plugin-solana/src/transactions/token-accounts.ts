import type { Phase } from '@ledger-ops/adapter';
import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/addresses';
import { invalid } from '../invalid.ts';
import type { InstructionJson } from '../native.ts';
import { associatedTokenProgram, token2022Program, tokenProgram } from '../tokens/token-programs.ts';
import { requireAddress } from './address.ts';
import { systemProgram } from './system.ts';

/**
 * Resolves an account given by the caller: an address, or `<owner>/<mint>` for the owner's associated token account,
 * which `create` makes if missing. Its token program is the called one, otherwise SPL Token; `<owner>/<mint>/<program>`
 * names it.
 * @throws AdapterError `invalid-argument` at the pointer
 */
export async function readAccount(
  text: string,
  { wallet, program, phase, pointer }: { wallet: string; program: string; phase: Phase; pointer: string },
): Promise<{ address: string; create?: InstructionJson }> {
  const [first = '', mint, named, ...more] = text.split('/');
  if (mint === undefined) return { address: requireAddress(first, phase, pointer) };
  if (more.length > 0) throw invalid(phase, pointer, 'must be an address, or <owner>/<mint>');
  const tokens = named ?? (program === token2022Program ? token2022Program : tokenProgram);
  for (const part of [first, mint, tokens]) requireAddress(part, phase, pointer);
  const own = await associatedAccount(first, mint, tokens);
  const create: InstructionJson = {
    program: associatedTokenProgram,
    accounts: [
      { address: wallet, signer: true, writable: true },
      { address: own, writable: true },
      { address: first },
      { address: mint },
      { address: systemProgram },
      { address: tokens },
    ],
    // CreateIdempotent: does nothing if the account exists.
    data: Buffer.of(1).toString('base64'),
  };
  return { address: own, create };
}

async function associatedAccount(owner: string, mint: string, tokens: string): Promise<string> {
  const encoder = getAddressEncoder();
  const [derived] = await getProgramDerivedAddress({
    programAddress: address(associatedTokenProgram),
    seeds: [owner, tokens, mint].map((part) => encoder.encode(address(part))),
  });
  return derived;
}
