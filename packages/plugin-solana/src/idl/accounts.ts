import type { Phase } from '@ledger-ops/adapter';
import { address, getAddressDecoder, getAddressEncoder, getProgramDerivedAddress } from '@solana/addresses';
import { invalid } from '../invalid.ts';
import type { AccountJson, InstructionJson } from '../native.ts';
import { readAccount } from '../transactions/token-accounts.ts';
import { givenAccounts } from './interface.ts';
import type { IdlAccount, IdlInstruction, IdlSeed } from './schema.ts';

/** Everything needed to find the accounts of a call. */
export interface AccountSources {
  wallet: string;
  /** Addresses that can sign, including the wallet. */
  signing: ReadonlySet<string>;
  program: string;
  instruction: IdlInstruction;
  /** Accounts given by the caller, in order. */
  texts: readonly string[];
  /** Accounts by name. They override the derived accounts. */
  named: Readonly<Record<string, string>>;
  /**
   * Returns the bytes of an argument, or of a field of an argument, as a seed; undefined if there are none.
   */
  seedOfArgument(path: string): Uint8Array | undefined;
  phase: Phase;
}

/**
 * Returns the accounts of an instruction in order, and the instructions that create token accounts before it.
 * @throws AdapterError `invalid-argument` at `/args/<index>` or `/native/accounts/<name>`
 */
export async function resolveAccounts(
  sources: AccountSources,
): Promise<{ accounts: AccountJson[]; before: InstructionJson[] }> {
  const { wallet, signing, program, instruction, texts, named, phase } = sources;
  const unknown = Object.keys(named).find(
    (name) => !instruction.accounts.some((account) => account.name === name),
  );
  if (unknown !== undefined) {
    const names = instruction.accounts.map(({ name }) => name).join(', ');
    throw invalid(
      phase,
      `/native/accounts/${unknown}`,
      `is not an account of the instruction; its accounts are ${names}`,
    );
  }
  const given = givenAccounts(instruction);
  const found = new Map<string, string>();
  const before: InstructionJson[] = [];

  async function read(text: string, account: IdlAccount, pointer: string): Promise<string> {
    const { address: own, create } = await readAccount(text, { wallet, program, phase, pointer });
    if (account.signer && !signing.has(own)) {
      throw invalid(
        phase,
        pointer,
        'must sign, so it must be the sending wallet or a wallet listed in feePayer or signers',
      );
    }
    if (account.writable && create !== undefined) before.push(create);
    return own;
  }

  async function find(account: IdlAccount, within: readonly string[]): Promise<string> {
    const { name, optional } = account;
    const known = found.get(name);
    if (known !== undefined) return known;
    const index = given.indexOf(account);
    const pointer = Object.hasOwn(named, name) || index < 0 ? `/native/accounts/${name}` : `/args/${index}`;
    const text = Object.hasOwn(named, name) ? named[name] : texts[index];
    let own: string;
    if (optional && (text === 'null' || (text === undefined && account.signer))) own = program;
    else if (text !== undefined) own = await read(text, account, pointer);
    else if (account.address !== undefined) own = account.address;
    else if (account.pda !== undefined) own = await derive(account, account.pda, within);
    else own = wallet;
    found.set(name, own);
    return own;
  }

  async function derive(
    { name }: IdlAccount,
    { seeds, program: by }: NonNullable<IdlAccount['pda']>,
    within: readonly string[],
  ): Promise<string> {
    const pointer = `/native/accounts/${name}`;
    if (within.includes(name))
      throw invalid(phase, pointer, 'is derived from itself; set its address explicitly');
    const bytesOf = async (seed: IdlSeed): Promise<Uint8Array> => {
      if (seed.kind === 'const') return Uint8Array.from(seed.value);
      if (seed.kind === 'arg') {
        const argument = sources.seedOfArgument(seed.path);
        if (argument === undefined)
          throw invalid(phase, pointer, `cannot be derived from ${seed.path}; set its address explicitly`);
        return argument;
      }
      const account = instruction.accounts.find((one) => one.name === seed.path);
      if (account === undefined)
        throw invalid(phase, pointer, `cannot be derived from ${seed.path}; set its address explicitly`);
      const own = address(await find(account, [...within, name]));
      return Uint8Array.from(getAddressEncoder().encode(own));
    };
    const programAddress = by === undefined ? program : addressOf(await bytesOf(by), phase, pointer);
    const parts = await Promise.all(seeds.map(bytesOf));
    if (parts.length > 15 || parts.some(({ length }) => length > 32)) {
      throw invalid(
        phase,
        pointer,
        'cannot be derived: a seed can have at most 32 bytes, and an address at most 15 seeds',
      );
    }
    const [derived] = await getProgramDerivedAddress({
      programAddress: address(programAddress),
      seeds: parts,
    });
    return derived;
  }

  const accounts: AccountJson[] = [];
  for (const account of instruction.accounts) {
    const own = await find(account, []);
    const isAbsent = account.optional && own === program;
    accounts.push({
      address: own,
      ...(account.signer && !isAbsent ? { signer: true } : {}),
      ...(account.writable && !isAbsent ? { writable: true } : {}),
    });
  }
  return { accounts, before };
}

function addressOf(bytes: Uint8Array, phase: Phase, pointer: string): string {
  if (bytes.length !== 32) throw invalid(phase, pointer, 'is derived by a program whose address is invalid');
  return getAddressDecoder().decode(bytes);
}
