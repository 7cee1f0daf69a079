import {
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

/** A parsed ABI. */
export interface ParsedAbi {
  abi: Interface;
  methods: readonly FunctionFragment[];
  /** Declared custom errors, `Name(type name,…)`. */
  errors: readonly string[];
}

/** Parses ABI texts and remembers the last ones. */
export interface AbiCache {
  /** @throws AdapterError `invalid-argument` at the pointer. */
  parse(text: string, phase: Phase, pointer: string): ParsedAbi;
}

const maximumText = 2 ** 20;
/** JSON values of an ABI; the largest in use have some thousands. Each is read into a type, which takes its time. */
const maximumValues = 12_000;
/** Characters of a fragment or signature that is written as text, and how deep its tuples and arrays go. */
const longestSignature = 4_096;
const deepestSignature = 16;

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
 * Reads an ABI: a JSON array of fragments, objects or human-readable texts, or a compiler's artifact with
 * such an array as its `abi`.
 * @throws AdapterError `invalid-argument` with an issue for each wrong fragment.
 */
export function parseAbi(text: string, phase: Phase, pointer = ''): ParsedAbi {
  const items = readItems(text, phase, pointer);
  const fragments: Fragment[] = [];
  const issues: { pointer: string; detail: string }[] = [];
  for (const [index, item] of items.entries()) {
    try {
      if (typeof item === 'string' && !isShallow(item)) throw new TypeError('too deep');
      const fragment = Fragment.from(withPayable(item));
      if (fragment.format('full') === '') throw new TypeError('no text');
      fragments.push(fragment);
    } catch {
      issues.push({ pointer: `${pointer}/${index}`, detail: 'is not a fragment of an ABI' });
    }
  }
  if (issues.length > 0) {
    const places = issues.map((issue) => issue.pointer).slice(0, 5);
    const detail = `The ABI has fragments that cannot be read: ${places.join(', ')}.`;
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
  return { abi, methods, errors };
}

function readItems(text: string, phase: Phase, pointer: string): unknown[] {
  if (text.length > maximumText) throw invalid(phase, pointer, `is longer than ${maximumText} characters`);
  let json: unknown;
  try {
    // Compilers write numbers and names that only amounts must not have.
    scanJson(text, { values: maximumValues }, ['imprecise-number', 'duplicate-key']);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalid(phase, pointer, `is not an ABI: ${error.message}`);
  }
  json = JSON.parse(text);
  if (typeof json === 'object' && json !== null && 'abi' in json) json = json.abi;
  if (Array.isArray(json)) return json;
  throw invalid(phase, pointer, 'is not an ABI: an array of fragments is expected');
}

/**
 * A constructor with the member that ethers looks at; what ethers reads of methods is right. The first compilers, whose
 * methods all take ether, say nothing.
 */
function withPayable(item: unknown): unknown {
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

/** An ABI as the contract of adapters describes it. @throws AdapterError `invalid-argument` where that is too long */
export function describeInterface({ abi, methods }: ParsedAbi): ContractInterface {
  const text = JSON.stringify(abi.fragments.map(toJson));
  // In full it has more members than was given, and whoever keeps it gives it to be read again.
  readItems(text, 'interface', '');
  return {
    interface: text,
    methods: methods.map((method) => ({
      name: method.name,
      signature: method.format('sighash'),
      view: method.constant,
      inputs: method.inputs.map(describeParameter),
      outputs: method.outputs.map(describeParameter),
    })),
    constructorInputs: abi.deploy.inputs.map(describeParameter),
    eventNames: eventNames(abi),
  };
}

/** Logs of anonymous ones name none. */
function eventNames(abi: Interface): string[] {
  const told = abi.fragments.filter(EventFragment.isFragment).filter(({ anonymous }) => !anonymous);
  return [...new Set(told.map(({ name }) => name))];
}

/** As compilers write it: ethers leaves `nonpayable` out, and says `undefined` of a constructor. */
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
 * The method that a call names, by name or by signature.
 * @throws AdapterError `unknown-method`, `ambiguous-method`, and `invalid-argument` at `/args` for a wrong count.
 */
export function selectMethod(
  { methods }: ParsedAbi,
  name: string,
  count: number,
  phase: Phase,
): FunctionFragment {
  const named = name.includes('(')
    ? methods.filter((method) => method.format('sighash') === readSignature(name, phase).format('sighash'))
    : methods.filter((method) => method.name === name);
  const [first] = named;
  if (first === undefined) {
    const known = methods.map((method) => method.format('sighash')).slice(0, 20);
    const detail = `is no method of the contract; its methods are ${known.join(', ') || 'none'}`;
    throw adapterError('unknown-method', `${name.slice(0, 200)} ${detail}.`, {
      phase,
      issues: [{ pointer: '/method_name', detail }],
    });
  }
  if (named.length === 1) return first;
  const fitting = named.filter((method) => method.inputs.length === count);
  const [only, ...more] = fitting;
  if (only !== undefined && more.length === 0) return only;
  const signatures = (fitting.length === 0 ? named : fitting).map((method) => method.format('sighash'));
  if (fitting.length === 0) {
    const detail = `holds ${count} arguments, which fits none of ${signatures.join(', ')}`;
    throw invalid(phase, '/args', detail);
  }
  const detail = `is overloaded: name one of ${signatures.join(', ')}`;
  throw adapterError('ambiguous-method', `${name} ${detail}.`, {
    phase,
    issues: [{ pointer: '/method_name', detail }],
  });
}

/**
 * A full signature such as `name(uint256,(address,bytes)[])`.
 * @throws AdapterError `unknown-method`
 */
export function readSignature(text: string, phase: Phase): FunctionFragment {
  try {
    const fragment =
      isShallow(text) && /^[^\s(]+\(/.test(text) ? Fragment.from(`function ${text}`) : undefined;
    if (fragment !== undefined && isFunction(fragment) && fragment.outputs.length === 0) return fragment;
  } catch {
    // Said below.
  }
  const detail = 'must be a full signature such as set(uint256): the contract has no interface here';
  throw adapterError('unknown-method', `method_name ${detail}.`, {
    phase,
    issues: [{ pointer: '/method_name', detail }],
  });
}

/** Whether a text is nested so little that the parser reads it at once: deeper ones take it seconds. */
function isShallow(text: string): boolean {
  if (text.length > longestSignature) return false;
  let depth = 0;
  let deepest = 0;
  let arrays = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    arrays = character === '[' ? arrays + 1 : character === ',' ? 0 : arrays;
    deepest = Math.max(deepest, depth, arrays);
  }
  return deepest <= deepestSignature;
}

function isFunction(fragment: Fragment): fragment is FunctionFragment {
  return fragment.type === 'function';
}

/** The constructor; one without arguments where the ABI declares none. */
export function constructorOf({ abi }: ParsedAbi): ConstructorFragment {
  return abi.deploy;
}
