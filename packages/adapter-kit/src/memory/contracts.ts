import type { ContractSource, Json } from '@ledger-ops/adapter';
import type { InterfaceDocument } from './contract-interface.ts';

/** An event as the contract emitted it. */
export interface EmittedEvent {
  name: string;
  args: string[];
}

/** The effects of a method: its writes, result and events, or its reason for a revert. */
export type Effects =
  | { ok: true; writes: [key: string, value: string][]; result: Json; events: EmittedEvent[] }
  | { ok: false; reason: string };

type Read = (key: string) => string | undefined;
type Method = (read: Read, args: readonly string[]) => Effects;

interface BuiltIn {
  document: InterfaceDocument;
  construct: Method;
  methods: Record<string, Method>;
}

function put(key: string, value: string, ...events: EmittedEvent[]): Effects {
  return { ok: true, writes: [[key, value]], result: null, events };
}

/** Writes a value to the key/value store and emits an event. */
const setValue = (key: string, value: string): Effects =>
  put(key, value, { name: 'ValueSet', args: [key, value] });

const returns = (result: Json): Effects => ({ ok: true, writes: [], result, events: [] });
const counterKey = 'value';

/** The contracts that a memory ledger can run, by the name inside their code. */
const builtIns: Record<string, BuiltIn> = {
  'key-value': {
    document: {
      constructor: { inputs: [] },
      methods: [
        method('set', [
          ['key', 'string'],
          ['value', 'string'],
        ]),
        method('get', [['key', 'string']], 'string'),
        method('fail', [['reason', 'string']]),
        method('put', [
          ['key', 'string'],
          ['value', 'string'],
        ]),
        method('put', [
          ['key', 'string'],
          ['value', 'uint'],
        ]),
      ],
      events: [
        {
          name: 'ValueSet',
          inputs: [
            { name: 'key', type: 'string' },
            { name: 'value', type: 'string' },
          ],
        },
      ],
    },
    construct: () => returns(null),
    methods: {
      'set(string,string)': (_, [key = '', value = '']) => setValue(key, value),
      'put(string,string)': (_, [key = '', value = '']) => setValue(key, value),
      'put(string,uint)': (_, [key = '', value = '']) => setValue(key, value),
      'get(string)': (read, [key = '']) => returns(read(key) ?? null),
      'fail(string)': (_, [reason = '']) => ({ ok: false, reason }),
    },
  },
  counter: {
    document: {
      constructor: { inputs: [{ name: 'start', type: 'uint' }] },
      methods: [method('increment', [['by', 'uint']]), method('value', [], 'uint')],
      events: [],
    },
    construct: (_, [start = '0']) => put(counterKey, start),
    methods: {
      'increment(uint)': (read, [by = '0']) =>
        put(counterKey, (BigInt(read(counterKey) ?? '0') + BigInt(by)).toString()),
      'value()': (read) => returns(read(counterKey) ?? '0'),
    },
  },
};

function method(name: string, inputs: [name: string, type: string][], view?: string) {
  return {
    name,
    view: view !== undefined,
    inputs: inputs.map(([input, type]) => ({ name: input, type })),
    outputs: view === undefined ? [] : [{ name: '', type: view }],
  };
}

/** A call in a transaction's data. */
export interface CallData {
  method: string;
  args: string[];
}

/** A deployment in a transaction's data. */
export interface CreationData {
  /** `0x` hex. */
  code: string;
  args: string[];
}

/** Transaction data: `0x` hex of JSON. */
export function encodeData(data: CallData | CreationData): string {
  return `0x${Buffer.from(JSON.stringify(data)).toString('hex')}`;
}

function decodeData(data: string): Record<string, unknown> & { args: string[] } {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(data.slice(2), 'hex').toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null && 'args' in parsed && isTexts(parsed.args)) {
      return { ...parsed, args: parsed.args };
    }
  } catch {
    // The data is not JSON. The contract rejects it below, as it rejects an unknown method.
  }
  return { args: [] };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function builtIn(code: string): BuiltIn | undefined {
  const name = Buffer.from(code.slice(2), 'hex').toString('utf8');
  return Object.hasOwn(builtIns, name) ? builtIns[name] : undefined;
}

const guarded = (run: () => Effects): Effects => {
  try {
    return run();
  } catch {
    return { ok: false, reason: 'an argument is malformed' };
  }
};

/** Runs a deployed contract against its storage, without changing it. */
export function runMethod(code: string, read: Read, data: string): Effects {
  const { method: signature, args } = decodeData(data);
  const methods = builtIn(code)?.methods ?? {};
  const run =
    typeof signature === 'string' && Object.hasOwn(methods, signature) ? methods[signature] : undefined;
  if (run === undefined) return { ok: false, reason: `no method ${String(signature)}` };
  return guarded(() => run(read, args));
}

/** Runs creation data. The ledger stores the code on success. */
export function runConstructor(data: string): { code: string; effects: Effects } {
  const { code, args } = decodeData(data);
  const contract = typeof code === 'string' ? builtIn(code) : undefined;
  if (contract === undefined || typeof code !== 'string') {
    return {
      code: '0x',
      effects: { ok: false, reason: 'the creation code is not a contract of this ledger' },
    };
  }
  return { code, effects: guarded(() => contract.construct(() => undefined, args)) };
}

function sourceOf(name: string): ContractSource {
  return {
    interface: JSON.stringify(builtIns[name]?.document),
    code: `0x${Buffer.from(name).toString('hex')}`,
  };
}

/** A key/value store: `set(key,value)`, `get(key)`, `fail(reason)`, and an overloaded `put`. */
export const keyValueContract: ContractSource = Object.freeze(sourceOf('key-value'));

/** A counter: constructor `(start)`, `increment(by)`, `value()`. */
export const counterContract: ContractSource = Object.freeze(sourceOf('counter'));
