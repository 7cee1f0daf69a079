import type { Abi, AbiParameter } from 'abitype';
import type { Argument } from './operations.ts';

/** Contract metadata in the format of `org.hyperledger.fabric:GetMetadata`. */
export interface FabricInterface {
  readonly contracts: Readonly<Record<string, FabricContract>>;
}

export interface FabricContract {
  readonly name?: string;
  readonly default?: boolean;
  readonly contractInstance?: { readonly name?: string; readonly default?: boolean };
  readonly transactions: readonly FabricTransaction[];
}

export interface FabricTransaction {
  readonly name: string;
  readonly tag?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly schema: FabricSchema }[];
  readonly returns?: unknown;
}

export interface FabricSchema {
  readonly type?: string;
  readonly [keyword: string]: unknown;
}

/** A Solidity ABI or the metadata of a chaincode. If it is declared `as const`, the methods have types. */
export type Interface = Abi | FabricInterface;

/** A method of a contract, on any ledger. */
export interface Method {
  /** Name of the member. */
  readonly name: string;
  /** Signature by which the service identifies the method. */
  readonly signature: string;
  /** Whether the method changes nothing. */
  readonly view: boolean;
  readonly inputs: number;
  /** Converts the service's JSON to the method's result type. */
  decode(result: unknown): unknown;
}

const isAbi = (given: Interface): given is Abi => Array.isArray(given);

export const methodsOf = (given: Interface): Method[] => (isAbi(given) ? ofAbi(given) : ofFabric(given));

function ofAbi(abi: Abi): Method[] {
  return abi.flatMap((item) => {
    if (item.type !== 'function') return [];
    const { name, inputs, outputs, stateMutability } = item;
    return {
      name,
      signature: `${name}(${inputs.map(typeText).join(',')})`,
      view: stateMutability === 'view' || stateMutability === 'pure',
      inputs: inputs.length,
      decode: (result) => decodeOutputs(outputs, result),
    };
  });
}

/** Returns a type as written in signatures. A tuple is written with its members. */
function typeText(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type;
  return parameter.type.replace(/^tuple/, `(${parameter.components.map(typeText).join(',')})`);
}

function decodeOutputs(outputs: readonly AbiParameter[], result: unknown): unknown {
  const [only, ...more] = outputs;
  if (only === undefined) return undefined;
  return more.length === 0 ? decodeValue(only.type, only, result) : decodeMembers(outputs, result);
}

function decodeMembers(members: readonly AbiParameter[], value: unknown): unknown {
  if (Array.isArray(value)) return members.map((one, index) => decodeValue(one.type, one, value[index]));
  if (typeof value !== 'object' || value === null) return value;
  const values = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    members.map((one) => [one.name ?? '', decodeValue(one.type, one, values.get(one.name ?? ''))]),
  );
}

function decodeValue(type: string, parameter: AbiParameter, value: unknown): unknown {
  const list = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (list !== undefined) {
    return Array.isArray(value) ? value.map((item) => decodeValue(list, parameter, item)) : value;
  }
  if (type === 'tuple') return 'components' in parameter ? decodeMembers(parameter.components, value) : value;
  const bits = /^u?int(\d*)$/.exec(type)?.[1];
  if (bits === undefined || typeof value !== 'string') return value;
  // As in the types that abitype derives, integers of up to 48 bits are numbers.
  return Number(bits || 256) <= 48 ? Number(value) : BigInt(value);
}

/** The contract in every chaincode that returns its metadata. */
const systemContract = 'org.hyperledger.fabric';

function ofFabric({ contracts }: FabricInterface): Method[] {
  const own = Object.entries(contracts).filter(([name]) => name !== systemContract);
  return own.flatMap(([contract, one]) => {
    const isDefault = own.length === 1 || (one.default ?? one.contractInstance?.default ?? false);
    return one.transactions.flatMap((transaction) => {
      const { name, tag = [], parameters = [] } = transaction;
      const tags = tag.map((text) => text.toLowerCase());
      const method = {
        signature: isDefault ? name : `${contract}:${name}`,
        view: tags.includes('evaluate') && !tags.includes('submit') && !tags.includes('submittx'),
        inputs: parameters.length,
        decode: (result: unknown) => result,
      };
      const full = { ...method, name: `${contract}:${name}` };
      return isDefault ? [{ ...method, name }, full] : [full];
    });
  });
}

/** Arguments of a chaincode function, from the schemas in its metadata. */
export type FabricArguments<T extends FabricTransaction> = T['parameters'] extends infer P extends readonly {
  readonly schema: FabricSchema;
}[]
  ? {
      -readonly [I in keyof P]: P[I] extends { schema: infer S extends FabricSchema }
        ? FabricArgument<S>
        : Argument;
    }
  : readonly Argument[];

type FabricArgument<S extends FabricSchema> = string extends S['type']
  ? Argument
  : S['type'] extends 'string'
    ? string
    : S['type'] extends 'integer' | 'number'
      ? bigint | number
      : S['type'] extends 'boolean'
        ? boolean
        : Argument;
