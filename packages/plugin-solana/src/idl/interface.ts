import type { ContractInterface, ContractMethod } from '@ledger-ops/adapter';
import { parseIdl } from './idl.ts';
import type { IdlAccount, IdlInstruction, IdlType } from './schema.ts';

/** Returns the methods of an IDL: its instructions. @throws AdapterError `invalid-argument` */
export function readInterface(text: string): ContractInterface {
  const idl = parseIdl(text, 'interface');
  return {
    interface: JSON.stringify(idl),
    methods: idl.instructions.map(methodOf),
    constructorInputs: [],
    eventNames: [...new Set(idl.events.map(({ name }) => name))],
  };
}

/**
 * Accounts that the caller passes as arguments. The others are constants, derived, or the wallet, which is the only
 * signer.
 */
export function givenAccounts({ accounts }: IdlInstruction): IdlAccount[] {
  return accounts.filter(({ address, pda, signer }) => address === undefined && pda === undefined && !signer);
}

function methodOf(instruction: IdlInstruction): ContractMethod {
  const inputs = [
    ...givenAccounts(instruction).map(({ name, optional }) => ({
      name,
      type: optional ? 'option<account>' : 'account',
    })),
    ...instruction.args.map(({ name, type }) => ({ name, type: typeText(type) })),
  ];
  return {
    name: instruction.name,
    signature: signatureOf(instruction),
    view: instruction.returns !== undefined && !instruction.accounts.some(({ writable }) => writable),
    inputs,
    outputs: instruction.returns === undefined ? [] : [{ name: '', type: typeText(instruction.returns) }],
  };
}

/** For example `deposit(account,u64)`. */
export function signatureOf(instruction: IdlInstruction): string {
  const accounts = givenAccounts(instruction).map(({ optional }) =>
    optional ? 'option<account>' : 'account',
  );
  return `${instruction.name}(${[...accounts, ...instruction.args.map(({ type }) => typeText(type))].join(',')})`;
}

/** Returns the type in Rust syntax. */
export function typeText(type: IdlType): string {
  if (typeof type === 'string') return type;
  if ('option' in type) return `option<${typeText(type.option)}>`;
  if ('vec' in type) return `vec<${typeText(type.vec)}>`;
  if ('array' in type) return `[${typeText(type.array[0])};${type.array[1]}]`;
  return type.defined;
}
