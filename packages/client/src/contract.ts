import type {
  Abi,
  AbiFunction,
  AbiParameter,
  AbiParametersToPrimitiveTypes,
  AbiParameterToPrimitiveType,
  ExtractAbiFunction,
  ExtractAbiFunctionNames,
} from 'abitype';
import { given } from './given.ts';
import {
  type FabricArguments,
  type FabricContract,
  type FabricInterface,
  type FabricTransaction,
  type Interface,
  type Method,
  methodsOf,
} from './interface.ts';
import type { Accepted, Argument, Call, OperationOptions, Place, Reading, Sender } from './operations.ts';

export interface ContractOptions<I extends Interface> {
  /** Id of a registered contract, or an address. `action:<id>` is the contract that this action deploys. */
  readonly contract: Place;
  readonly interface: I;
  /** The wallet that signs calls. Reads are executed as this wallet. */
  readonly sender?: Sender;
  /** The ledger for reads if `sender` is absent. */
  readonly ledgerId?: string;
}

/**
 * One member per method. Methods that change state return an accepted action; methods that read return their
 * value.
 */
export type Contract<I extends Interface> = I extends Abi
  ? { readonly [Name in ExtractAbiFunctionNames<I>]: AbiMethod<ExtractAbiFunction<I, Name>> }
  : I extends FabricInterface
    ? FabricMethods<I>
    : never;

/** A method that changes state. With options for one call: `token.transfer.with({ tag: 'rent' })(to, 5n)`. */
export interface ChangingMethod<Args extends readonly unknown[]> {
  (...args: Args): Promise<Accepted>;
  with(options: OperationOptions): (...args: Args) => Promise<Accepted>;
}

/** Options of one read. `walletId`: the wallet to read as, if it is not the wallet of `sender`. */
export type ReadingOptions = Pick<Reading, 'walletId' | 'signal'>;

/** A method that reads. With options for one call: `token.balanceOf.with({ signal })(owner)`. */
export interface ReadingMethod<Args extends readonly unknown[], Result> {
  (...args: Args): Promise<Result>;
  with(options: ReadingOptions): (...args: Args) => Promise<Result>;
}

type AbiMethod<F extends AbiFunction> = F['stateMutability'] extends 'view' | 'pure'
  ? ReadingMethod<AbiArguments<F>, Outputs<F['outputs']>>
  : ChangingMethod<AbiArguments<F>>;

type AbiArguments<F extends AbiFunction> = LooseList<AbiParametersToPrimitiveTypes<F['inputs'], 'inputs'>>;

/** Type of an argument: accepts numbers and bigints, and any string for addresses and bytes, such as a wallet id. */
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

type FabricMethod<T extends FabricTransaction> = T['tag'] extends readonly string[]
  ? Lowercase<T['tag'][number]> extends 'evaluate'
    ? ReadingMethod<FabricArguments<T>, unknown>
    : ChangingMethod<FabricArguments<T>>
  : ChangingMethod<FabricArguments<T>>;

/** The methods of a client that a contract uses. */
export interface Caller {
  call(call: Call): Promise<Accepted>;
  read(reading: Reading): Promise<unknown>;
}

export function createContract<I extends Interface>(
  caller: Caller,
  options: ContractOptions<I>,
): Contract<I> {
  const byName = Map.groupBy(methodsOf(options.interface), ({ name }) => name);
  const members = [...byName].map(([name, overloads]) => {
    const bound =
      (of: CallOptions) =>
      async (...args: Argument[]) =>
        await invoke(caller, options, choose(name, overloads, args.length), args, of);
    return [name, Object.assign(bound({}), { with: bound })];
  });
  // The members were created with the names and types of the interface.
  return Object.freeze(Object.fromEntries(members)) as Contract<I>;
}

/** Options of calls and reads. The types let each method accept only its own options. */
type CallOptions = OperationOptions & ReadingOptions;

async function invoke(
  { call, read }: Caller,
  { contract, sender, ledgerId }: ContractOptions<Interface>,
  { name, signature, view, decode }: Method,
  args: readonly Argument[],
  of: CallOptions,
): Promise<unknown> {
  const asked = { contract, method: signature, args };
  if (!view) {
    if (sender === undefined) {
      throw new TypeError(
        `${name} changes state. Create the contract with sender, the wallet that signs calls.`,
      );
    }
    return await call({ ...of, ...asked, ...sender });
  }
  const { walletId = sender?.walletId, signal } = of;
  const result = await read({
    ...asked,
    ...given({ walletId, ledgerId: walletId === undefined ? ledgerId : undefined, signal }),
  });
  return decode(result);
}

/** @throws TypeError if the number of arguments does not identify one of the overloads */
function choose(name: string, overloads: readonly Method[], count: number): Method {
  const fitting = overloads.filter(({ inputs }) => inputs === count);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  const known = overloads.map(({ signature }) => signature).join(', ');
  throw new TypeError(
    only === undefined
      ? `${name} does not accept ${count} arguments. It is declared as: ${known}.`
      : `Several methods named ${name} accept ${count} arguments. In call or read, use the signature of one of them: ${known}.`,
  );
}
