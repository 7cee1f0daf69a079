import {
  type AdapterError,
  adapterError,
  type ContractInterface,
  type ContractParameter,
  type Phase,
} from '@ledger-ops/adapter';
import { JsonError, scanJson } from '@ledger-ops/glo-core';
import {
  type ConstructorFragment,
  EventFragment,
  Fragment,
  type FunctionFragment,
  Interface,
  type ParamType,
} from 'ethers';
import QuickLRU from 'quick-lru';
import { invalid } from '../invalid.ts';
import { isShallow, mostTypes, typesIn } from './depth.ts';
import {
  type ForeignFragment,
  foreignParameters,
  isForeignConstructor,
  readForeignFragment,
  readText,
} from './foreign-types.ts';

export interface ParsedAbi {
  abi: Interface;
  methods: readonly FunctionFragment[];
  /** Declared custom errors, each as `Name(type name,…)`. */
  errors: readonly string[];
  /** Fragments with types outside the ABI specification. Only calls to these are rejected. */
  foreign: readonly ForeignFragment[];
}

/** Parses ABIs and caches the most recently used ones. */
export interface AbiCache {
  /** @throws AdapterError `invalid-argument` at the pointer */
  parse(text: string, phase: Phase, pointer: string): ParsedAbi;
}

const maximumText = 2 ** 20;
/**
 * Maximum number of JSON values of an ABI. The largest ABIs in use have a few thousand, and each value costs
 * parsing time.
 */
const maximumValues = 12_000;

export function createAbiCache(limit = 256): AbiCache {
  const parsed = new QuickLRU<string, ParsedAbi>({ maxSize: limit });
  return {
    parse(text, phase, pointer) {
      const known = parsed.get(text);
      if (known !== undefined) return known;
      const fresh = parseAbi(text, phase, pointer);
      parsed.set(text, fresh);
      return fresh;
    },
  };
}

/**
 * Parses an ABI: a JSON array of fragments (objects or human-readable strings), or a compiler artifact with such an
 * array as its `abi`.
 *
 * @throws AdapterError `invalid-argument` with an issue for each invalid fragment
 */
export function parseAbi(text: string, phase: Phase, pointer = ''): ParsedAbi {
  const items = readItems(text, phase, pointer);
  const fragments: Fragment[] = [];
  const foreign: ForeignFragment[] = [];
  const issues: { pointer: string; detail: string }[] = [];
  let types = 0;
  for (const [index, item] of items.entries()) {
    let isDeep = false;
    try {
      const own = typesIn(item);
      isDeep = own === Number.POSITIVE_INFINITY;
      if (isDeep) throw new TypeError('too deep');
      types += own;
      if (types > mostTypes) break;
      const fragment = typeof item === 'string' ? readText(item) : Fragment.from(completed(item));
      if (fragment.format('full') === '') throw new TypeError('no text');
      fragments.push(fragment);
    } catch {
      const read = isDeep ? undefined : readForeignFragment(completed(item));
      if (read !== undefined) foreign.push(read);
      else
        issues.push({
          pointer: `${pointer}/${index}`,
          detail: `${labelOf(item)}is not an ABI fragment`,
        });
    }
  }
  if (types > mostTypes) throw invalid(phase, pointer, `has more than ${mostTypes} types`);
  if (issues.length > 0) {
    const places = issues.map((issue) => `${issue.pointer}: ${issue.detail}`).slice(0, 5);
    const detail = `The ABI has fragments that cannot be read: ${places.join('; ')}.`;
    throw adapterError('invalid-argument', detail, { phase, issues: issues.slice(0, 50) });
  }
  const abi = readAbi(fragments, phase, pointer);
  const methods: FunctionFragment[] = [];
  abi.forEachFunction((fragment) => {
    methods.push(fragment);
  });
  const errors: string[] = [];
  abi.forEachError((fragment) => {
    errors.push(fragment.format('full').replace(/^error /, ''));
  });
  return { abi, methods, errors, foreign };
}

/** Returns the kind and name of a fragment, if present, for error messages. */
function labelOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return '';
  const { type, name }: { type?: unknown; name?: unknown } = item;
  const words = [type, name].filter((one) => typeof one === 'string' && /^[\w$]{1,64}$/.test(one));
  return words.length === 0 ? '' : `${words.join(' ')} `;
}

function readItems(text: string, phase: Phase, pointer: string): unknown[] {
  if (text.length > maximumText) throw invalid(phase, pointer, `is longer than ${maximumText} characters`);
  let json: unknown;
  try {
    // Compilers write large numbers and duplicate keys. Both are harmless here, because an ABI contains no
    // amounts.
    scanJson(text, { values: maximumValues }, ['imprecise-number', 'duplicate-key']);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalid(phase, pointer, `is not an ABI: ${error.message}`);
  }
  json = JSON.parse(text);
  if (typeof json === 'object' && json !== null && 'abi' in json) json = json.abi;
  if (Array.isArray(json)) return json;
  throw invalid(phase, pointer, 'is not an ABI: it must be an array of fragments');
}

/**
 * Adds members that compilers may omit by the ABI specification but ethers expects: the type of a function,
 * and `payable` of constructors. The first compilers omit `payable`, because all their methods accept ether.
 */
function completed(item: unknown): unknown {
  if (typeof item === 'object' && item !== null && 'name' in item && !('type' in item))
    return { ...item, type: 'function' };
  if (typeof item !== 'object' || item === null || !('type' in item) || item.type !== 'constructor')
    return item;
  const { stateMutability, payable = true }: Record<string, unknown> = { ...item };
  return {
    ...item,
    payable: stateMutability === undefined ? payable === true : stateMutability === 'payable',
  };
}

function readAbi(fragments: Fragment[], phase: Phase, pointer: string): Interface {
  try {
    return new Interface(fragments);
  } catch {
    throw invalid(phase, pointer, 'is not an ABI: its fragments contradict each other');
  }
}

/**
 * Describes an ABI in the adapter contract's form.
 * @throws AdapterError `invalid-argument` if the description is too long
 */
export function describeInterface({ abi, methods, foreign }: ParsedAbi): ContractInterface {
  const text = JSON.stringify([...abi.fragments.map(toJson), ...foreign.map(({ json }) => json)]);
  // The stored string is longer than the input. It must be within the limits too, because it is parsed again.
  readItems(text, 'interface', '');
  return {
    interface: text,
    methods: [
      ...methods.map((method) => ({
        name: method.name,
        signature: method.format('sighash'),
        view: method.constant,
        inputs: method.inputs.map(describeParameter),
        outputs: method.outputs.map(describeParameter),
      })),
      ...foreign.flatMap(({ fragment, json, name, signature }) =>
        isFunction(fragment)
          ? [
              {
                ...{ name, signature, view: fragment.constant },
                ...{ inputs: foreignParameters(json.inputs), outputs: bytesInstead(fragment) },
              },
            ]
          : [],
      ),
    ],
    constructorInputs:
      foreign.filter(isForeignConstructor).map(({ json }) => foreignParameters(json.inputs))[0] ??
      abi.deploy.inputs.map(describeParameter),
    eventNames: eventNames(abi),
  };
}

/**
 * Outputs of a method that uses types outside the ABI specification. The outputs are not decoded; the result
 * is returned as bytes.
 */
function bytesInstead({ outputs }: FunctionFragment): ContractParameter[] {
  return outputs.length === 0 ? [] : [{ name: '', type: 'bytes' }];
}

/** Returns the names of the events. Omits anonymous events, which have no name in their logs. */
function eventNames(abi: Interface): string[] {
  const told = abi.fragments.filter(EventFragment.isFragment).filter(({ anonymous }) => !anonymous);
  return [...new Set(told.map(({ name }) => name))];
}

/** Returns a fragment as compilers write it. Ethers omits `nonpayable` and writes `undefined` for constructors. */
function toJson(fragment: Fragment): unknown {
  const json: { type: string; stateMutability?: string } = JSON.parse(fragment.format('json'));
  const { type, stateMutability } = json;
  const isPlain = stateMutability === undefined || stateMutability === 'undefined';
  return isPlain && (type === 'constructor' || type === 'function')
    ? { ...json, stateMutability: 'nonpayable' }
    : json;
}

function describeParameter(type: ParamType): ContractParameter {
  return { name: type.name, type: type.format('sighash') };
}

/**
 * Selects the method of a call, by name or by signature.
 *
 * @throws AdapterError `unknown-method`, `ambiguous-method`, or `invalid-argument` at `/args` for a wrong count
 */
export function selectMethod(
  { methods, foreign }: ParsedAbi,
  name: string,
  count: number,
  phase: Phase,
): FunctionFragment {
  const isSignature = name.includes('(');
  const strangers = foreign.filter((one) => (isSignature ? one.signature === name : one.name === name));
  const own = isSignature && strangers.length > 0 ? [] : named(methods, name, phase);
  const all = [
    ...own.map((fragment) => ({ fragment, signature: fragment.format('sighash'), foreign: undefined })),
    ...strangers.flatMap((one) =>
      isFunction(one.fragment) ? [{ fragment: one.fragment, signature: one.signature, foreign: one }] : [],
    ),
  ];
  const { fragment, foreign: stranger } = selectOf(all, methods, name, count, phase);
  if (stranger !== undefined && stranger.inputTypes.length > 0)
    throw foreignTypes(stranger, '/method_name', phase);
  return fragment;
}

interface Candidate {
  fragment: FunctionFragment;
  signature: string;
  foreign: ForeignFragment | undefined;
}

function named(methods: readonly FunctionFragment[], name: string, phase: Phase): FunctionFragment[] {
  if (!name.includes('(')) return methods.filter((method) => method.name === name);
  const wanted = readSignature(name, phase).format('sighash');
  // Compares names first, because formatting thousands of signatures is slow.
  return methods.filter(
    (method) => name.startsWith(`${method.name}(`) && method.format('sighash') === wanted,
  );
}

/** @throws AdapterError like `selectMethod` */
function selectOf(
  all: readonly Candidate[],
  methods: readonly FunctionFragment[],
  name: string,
  count: number,
  phase: Phase,
): Candidate {
  const [first] = all;
  if (first === undefined) {
    const known = methods.map((method) => method.format('sighash')).slice(0, 20);
    const detail = `is not a method of the contract, which has ${known.join(', ') || 'no methods'}`;
    throw adapterError('unknown-method', `${name.slice(0, 200)} ${detail}.`, {
      phase,
      issues: [{ pointer: '/method_name', detail }],
    });
  }
  if (all.length === 1) return first;
  const fitting = all.filter(({ fragment }) => fragment.inputs.length === count);
  const [only, ...more] = fitting;
  if (only !== undefined && more.length === 0) return only;
  const signatures = (fitting.length === 0 ? all : fitting).map(({ signature }) => signature);
  if (fitting.length === 0) {
    const detail = `contains ${count} arguments, but the methods of this name are ${signatures.join(', ')}`;
    throw invalid(phase, '/args', detail);
  }
  const detail = `is overloaded: use one of ${signatures.join(', ')}`;
  throw adapterError('ambiguous-method', `${name} ${detail}.`, {
    phase,
    issues: [{ pointer: '/method_name', detail }],
  });
}

/**
 * Reads a full signature such as `name(uint256,(address,bytes)[])`.
 *
 * @throws AdapterError `unknown-method`
 */
export function readSignature(text: string, phase: Phase): FunctionFragment {
  try {
    const fragment =
      isShallow(text) && /^[^\s(]+\(/.test(text) ? Fragment.from(`function ${text}`) : undefined;
    if (fragment !== undefined && isFunction(fragment) && fragment.outputs.length === 0) return fragment;
  } catch {
    // The error is reported below.
  }
  const detail =
    'must be a full signature such as set(uint256), because the contract is registered without an interface';
  throw adapterError('unknown-method', `method_name ${detail}.`, {
    phase,
    issues: [{ pointer: '/method_name', detail }],
  });
}

function isFunction(fragment: Fragment): fragment is FunctionFragment {
  return fragment.type === 'function';
}

/**
 * Returns the constructor. If the ABI declares none, returns a constructor without arguments.
 *
 * @throws AdapterError `unsupported-operation` if its arguments have foreign types
 */
export function constructorOf({ abi, foreign }: ParsedAbi, phase: Phase): ConstructorFragment {
  const stranger = foreign.find(isForeignConstructor);
  if (stranger !== undefined) throw foreignTypes(stranger, '/contract_source/resource', phase);
  return abi.deploy;
}

function foreignTypes(
  { signature, inputTypes }: ForeignFragment,
  pointer: string,
  phase: Phase,
): AdapterError {
  const types = [...new Set(inputTypes)].slice(0, 5).join(', ');
  const detail = `${signature.slice(0, 200)} has arguments of types that the contract ABI does not support (${types}). Put the encoded call into data in meta`;
  return adapterError('unsupported-operation', `${detail}.`, { phase, issues: [{ pointer, detail }] });
}
