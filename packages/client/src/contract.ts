import type {
  Abi,
  AbiFunction,
  AbiParameter,
  AbiParametersToPrimitiveTypes,
  AbiParameterToPrimitiveType,
  ExtractAbiFunction,
  ExtractAbiFunctionNames,
} from 'abitype';
import {
  type FabricArguments,
  type FabricContract,
  type FabricInterface,
  type FabricTransaction,
  type Interface,
  type Method,
  methodsOf,
} from './interface.ts';
import type { Accepted, Argument, Call, Place, Reading, Sender } from './operations.ts';

/** Options of a contract. */
export interface ContractOptions<I extends Interface> {
  /** Id of a registered contract, or an address; `action:<id>` is what that action deploys. */
  readonly contract: Place;
  readonly interface: I;
  /** Who signs what changes something, and from whose point of view it is read. */
  readonly sender?: Sender;
  /** Where it is read without a sender. */
  readonly ledgerId?: string;
}

/** A member for each method: what changes something is accepted as an action, what reads gives its value. */
export type Contract<I extends Interface> = I extends Abi
  ? { readonly [Name in ExtractAbiFunctionNames<I>]: AbiMethod<ExtractAbiFunction<I, Name>> }
  : I extends FabricInterface
    ? FabricMethods<I>
    : never;

type AbiMethod<F extends AbiFunction> = (
  ...args: LooseList<AbiParametersToPrimitiveTypes<F['inputs'], 'inputs'>>
) => Promise<F['stateMutability'] extends 'view' | 'pure' ? Outputs<F['outputs']> : Accepted>;

/** Whole numbers of either kind; addresses and bytes as any text, which may also be the id of a wallet. */
type Loose<T> = T extends bigint | number
  ? bigint | number
  : T extends string
    ? string
    : T extends object
      ? { [K in keyof T]: Loose<T[K]> }
      : T;

type LooseList<T extends readonly unknown[]> = { [I in keyof T]: Loose<T[I]> };

type Outputs<O extends readonly AbiParameter[]> = O extends readonly []
  ? undefined
  : O extends readonly [infer Only extends AbiParameter]
    ? AbiParameterToPrimitiveType<Only, 'outputs'>
    : AbiParameterToPrimitiveType<{ type: 'tuple'; components: O }, 'outputs'>;

type OwnContracts<I extends FabricInterface> = Exclude<keyof I['contracts'], 'org.hyperledger.fabric'> &
  string;
type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;
type IsDefault<C extends FabricContract> = C extends
  | { default: true }
  | { contractInstance: { default: true } }
  ? true
  : false;
type TransactionsOf<
  I extends FabricInterface,
  C extends OwnContracts<I>,
> = I['contracts'][C]['transactions'][number];
type DefaultContract<I extends FabricInterface> =
  IsUnion<OwnContracts<I>> extends false
    ? OwnContracts<I>
    : { [C in OwnContracts<I>]: IsDefault<I['contracts'][C]> extends true ? C : never }[OwnContracts<I>];

type FabricMethods<I extends FabricInterface> = {
  readonly [T in TransactionsOf<I, DefaultContract<I>> as T['name']]: FabricMethod<T>;
} & {
  readonly [Key in {
    [C in OwnContracts<I>]: `${C}:${TransactionsOf<I, C>['name']}`;
  }[OwnContracts<I>]]: Key extends `${infer C}:${infer Name}`
    ? FabricMethod<Extract<I['contracts'][C]['transactions'][number], { name: Name }>>
    : never;
};

type FabricMethod<T extends FabricTransaction> = (
  ...args: FabricArguments<T>
) => Promise<
  T['tag'] extends readonly string[]
    ? Lowercase<T['tag'][number]> extends 'evaluate'
      ? unknown
      : Accepted
    : Accepted
>;

/** The part of a client that a contract needs. */
export interface Caller {
  call(call: Call): Promise<Accepted>;
  read(reading: Reading): Promise<unknown>;
}

export function createContract<I extends Interface>(
  caller: Caller,
  options: ContractOptions<I>,
): Contract<I> {
  const byName = Map.groupBy(methodsOf(options.interface), ({ name }) => name);
  const members = [...byName].map(([name, overloads]) => [
    name,
    async (...args: Argument[]) => await invoke(caller, options, choose(name, overloads, args.length), args),
  ]);
  // The names and types of the members are those of the interface.
  return Object.freeze(Object.fromEntries(members)) as Contract<I>;
}

async function invoke(
  { call, read }: Caller,
  { contract, sender, ledgerId }: ContractOptions<Interface>,
  { name, signature, view, decode }: Method,
  args: readonly Argument[],
): Promise<unknown> {
  const asked = { contract, method: signature, args };
  if (!view) {
    if (sender === undefined) throw new TypeError(`${name} changes something: the contract needs a sender.`);
    return await call({ ...asked, ...sender });
  }
  const result = await read({
    ...asked,
    ...(sender === undefined ? {} : { walletId: sender.walletId }),
    ...(sender !== undefined || ledgerId === undefined ? {} : { ledgerId }),
  });
  return decode(result);
}

/** @throws TypeError where the number of arguments tells no one of them */
function choose(name: string, overloads: readonly Method[], given: number): Method {
  const fitting = overloads.filter(({ inputs }) => inputs === given);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  const known = overloads.map(({ signature }) => signature).join(', ');
  throw new TypeError(
    only === undefined
      ? `${name} takes no ${given} arguments: ${known}.`
      : `Several methods ${name} take ${given} arguments: name one by its signature in call or read (${known}).`,
  );
}
