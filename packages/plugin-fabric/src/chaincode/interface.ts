import {
  adapterError,
  type ContractInterface,
  type ContractMethod,
  type ContractParameter,
  type Phase,
} from '@ledger-ops/adapter';
import { JsonError, scanJson } from '@ledger-ops/glo-core';
import QuickLRU from 'quick-lru';
import { z } from 'zod';
import { invalid } from '../invalid.ts';
import type { Schema } from './json-schema.ts';

/** Contract metadata, in the form of `org.hyperledger.fabric:GetMetadata`. */
export interface ParsedMetadata {
  contracts: readonly ContractMetadata[];
  /** Targets of `$ref`: `#/components/schemas/<name>`. */
  schemas: Readonly<Record<string, Schema>>;
  text: string;
}

export interface ContractMetadata {
  name: string;
  /** Whether the contract's functions can be called without its name. */
  isDefault: boolean;
  transactions: readonly TransactionMetadata[];
}

export interface TransactionMetadata {
  name: string;
  /** Whether the function changes nothing, as declared by the tag `evaluate`. */
  view: boolean;
  parameters: readonly { name: string; schema: Schema }[];
  /** Schema of the returned value; undefined if the metadata does not declare one. */
  returns: Schema | undefined;
}

const maximumText = 2 ** 20;
/** Maximum number of JSON values of metadata. The metadata of a large chaincode has several thousand. */
const maximumValues = 12_000;
/** The contract that every chaincode has. It returns the metadata. */
const systemContract = 'org.hyperledger.fabric';

/** Maximum length of a contract name, which precedes the name of each of its transactions. */
const longestName = 256;
/** Maximum length of a type name. Longer names are cut, because signatures contain them. */
const longestType = 256;

const schemaObject = z.record(z.string(), z.unknown());
const name = z.string().max(longestName);
const parameter = z.object({ name, schema: schemaObject.optional() });
const transaction = z.object({
  name: name.min(1),
  // fabric-contract-api for Node and Go writes `tag`, but older versions write `tags`.
  tag: z.array(z.string()).nullish(),
  tags: z.array(z.string()).nullish(),
  parameters: z.union([z.array(parameter), z.record(z.string(), parameter)]).nullish(),
  // Node writes a list with one schema, but Go and Java write a schema.
  returns: z.union([z.array(z.object({ schema: schemaObject.optional() })), schemaObject]).nullish(),
});
const contract = z.object({
  name: z.string().optional(),
  default: z.boolean().optional(),
  contractInstance: z.object({ name: z.string().optional(), default: z.boolean().optional() }).nullish(),
  transactions: z.array(transaction).nullish(),
});
const document = z.object({
  contracts: z.record(name, contract),
  components: z.object({ schemas: z.record(z.string(), schemaObject).nullish() }).nullish(),
});

/**
 * Parses contract metadata.
 * @throws AdapterError `invalid-argument` with an issue for each fault
 */
export function parseMetadata(text: string, phase: Phase, pointer = ''): ParsedMetadata {
  if (text.length > maximumText) throw invalid(phase, pointer, `is longer than ${maximumText} characters`);
  try {
    // Numeric limits in schemas may be imprecise numbers.
    scanJson(text, { values: maximumValues }, ['imprecise-number', 'duplicate-key']);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalid(phase, pointer, `is not contract metadata: ${error.message}`);
  }
  const json: unknown = JSON.parse(text);
  const parsed = document.safeParse(json);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, 50).map(({ path, message }) => ({
      pointer: [
        pointer,
        ...path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
      ].join('/'),
      detail: message,
    }));
    const detail = 'This is not contract metadata in the format of org.hyperledger.fabric:GetMetadata.';
    throw adapterError('invalid-argument', detail, { phase, issues });
  }
  const contracts = Object.entries(parsed.data.contracts)
    .filter(([name]) => name !== systemContract)
    .map(([name, one]): ContractMetadata => {
      const isDefault = one.default ?? one.contractInstance?.default ?? false;
      return { name, isDefault, transactions: (one.transactions ?? []).map(readTransaction) };
    });
  const [only, ...more] = contracts;
  if (only === undefined) throw invalid(phase, `${pointer}/contracts`, 'has no contract');
  // If no contract is marked as the default, the first contract is the default.
  const marked = more.length > 0 && contracts.some(({ isDefault }) => isDefault);
  return {
    contracts: marked ? contracts : [{ ...only, isDefault: true }, ...more],
    schemas: parsed.data.components?.schemas ?? {},
    text: JSON.stringify(json),
  };
}

function readTransaction(one: z.infer<typeof transaction>): TransactionMetadata {
  const tags = [...(one.tag ?? []), ...(one.tags ?? [])].map((tag) => tag.toLowerCase());
  const list = Array.isArray(one.parameters) ? one.parameters : Object.values(one.parameters ?? {});
  const { returns } = one;
  return {
    name: one.name,
    view: tags.includes('evaluate') && !tags.some((tag) => tag === 'submit' || tag === 'submittx'),
    parameters: list.map(({ name, schema }) => ({ name, schema: schema ?? {} })),
    returns: Array.isArray(returns) ? returns[0]?.schema : (returns ?? undefined),
  };
}

/** Describes metadata in the adapter contract's form. */
export function describeInterface(metadata: ParsedMetadata): ContractInterface {
  const methods = metadata.contracts.flatMap((one) => one.transactions.map((each) => methodOf(one, each)));
  return {
    interface: metadata.text,
    methods: [...new Map(methods.map((method) => [method.signature, method])).values()],
    // A chaincode definition has no constructor. Calling a function writes the initial state.
    constructorInputs: [],
  };
}

function methodOf(one: ContractMetadata, each: TransactionMetadata): ContractMethod {
  const name = one.isDefault ? each.name : `${one.name}:${each.name}`;
  return {
    name,
    signature: signatureOf(name, each),
    view: each.view,
    inputs: each.parameters.map(describeParameter),
    outputs: each.returns === undefined ? [] : [{ name: '', type: typeName(each.returns) }],
  };
}

function signatureOf(name: string, { parameters }: TransactionMetadata): string {
  return `${name}(${parameters.map(({ schema }) => typeName(schema)).join(',')})`;
}

function describeParameter({ name, schema }: { name: string; schema: Schema }): ContractParameter {
  return { name, type: typeName(schema) };
}

/** `string`, `integer`, `array`, a component's name, or `any`. */
export function typeName(schema: Schema): string {
  const { type, $ref: reference } = schema;
  const text =
    typeof type === 'string' ? type : typeof reference === 'string' ? reference.split('/').at(-1) : 'any';
  return text?.slice(0, longestType) || 'object';
}

/** A function of a chaincode and its contract. */
export interface SelectedFunction {
  /** Name of the contract; undefined for the default contract. */
  contract: string | undefined;
  transaction: TransactionMetadata;
}

/**
 * Selects the function of a call: `name`, `Contract:name`, or either with its signature.
 * @param contract the contract named in the address
 * @throws AdapterError `unknown-method`, or `unknown-contract` if there is no contract of that name
 */
export function selectFunction(
  metadata: ParsedMetadata,
  contract: string | undefined,
  name: string,
  phase: Phase,
): SelectedFunction {
  const plain = name.replace(/\(.*$/s, '');
  const colon = plain.lastIndexOf(':');
  const named = colon === -1 ? contract : plain.slice(0, colon);
  const one = metadata.contracts.find(({ name: known, isDefault }) =>
    named === undefined ? isDefault : known === named,
  );
  if (one === undefined) {
    const detail = `is not a contract of the chaincode, whose contracts are ${metadata.contracts
      .slice(0, 20)
      .map(({ name: known }) => known)
      .join(', ')}`;
    const pointer = colon === -1 ? '/contract_instance/resource' : '/method_name';
    throw adapterError('unknown-contract', `${JSON.stringify(named)} ${detail}.`, {
      phase,
      issues: [
        {
          pointer,
          detail: colon === -1 ? detail : `contains the contract ${JSON.stringify(named)}, which ${detail}`,
        },
      ],
    });
  }
  const wanted = plain.slice(colon + 1);
  const transaction = one.transactions.find(
    (each) =>
      each.name === wanted &&
      (plain === name || signatureOf(wanted, each) === name.slice(colon + 1).replaceAll(' ', '')),
  );
  if (transaction === undefined) {
    const known = one.transactions.map((each) => signatureOf(each.name, each)).slice(0, 20);
    const detail = `is not a function of the contract, which has ${known.join(', ') || 'no functions'}`;
    throw adapterError('unknown-method', `${name.slice(0, 200)} ${detail}.`, {
      phase,
      issues: [{ pointer: '/method_name', detail }],
    });
  }
  return { contract: one.isDefault ? undefined : one.name, transaction };
}

/** Parses metadata and caches the most recently used results. */
export interface MetadataCache {
  parse(text: string, phase: Phase, pointer: string): ParsedMetadata;
}

export function createMetadataCache(limit = 256): MetadataCache {
  const parsed = new QuickLRU<string, ParsedMetadata>({ maxSize: limit });
  return {
    parse(text, phase, pointer) {
      const known = parsed.get(text);
      if (known !== undefined) return known;
      const fresh = parseMetadata(text, phase, pointer);
      parsed.set(text, fresh);
      return fresh;
    },
  };
}
