import type { ContractInterface, ContractMethod, ContractParameter, Phase } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';

/** The interface of a memory contract, as JSON. */
export interface InterfaceDocument {
  constructor: { inputs: ContractParameter[] };
  methods: { name: string; view: boolean; inputs: ContractParameter[]; outputs: ContractParameter[] }[];
  events: { name: string; inputs: ContractParameter[] }[];
}

type Issue = { pointer: string; detail: string };

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const parameterTypes = ['string', 'uint', 'bool'];
const maximum = (1n << 256n) - 1n;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readParameters(value: unknown, pointer: string, issues: Issue[]): ContractParameter[] {
  if (!Array.isArray(value)) {
    issues.push({ pointer, detail: 'must be an array of {name, type}' });
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const at = `${pointer}/${index}`;
    if (!isRecord(item) || typeof item.name !== 'string' || typeof item.type !== 'string') {
      issues.push({ pointer: at, detail: 'must be {name, type}, both strings' });
      return [];
    }
    if (!parameterTypes.includes(item.type)) {
      issues.push({ pointer: `${at}/type`, detail: `must be one of ${parameterTypes.join(', ')}` });
    }
    return [{ name: item.name, type: item.type }];
  });
}

function readMethod(value: unknown, pointer: string, issues: Issue[]): InterfaceDocument['methods'] {
  if (!isRecord(value) || typeof value.name !== 'string' || !namePattern.test(value.name)) {
    issues.push({
      pointer: `${pointer}/name`,
      detail: 'must contain only letters, digits and _, and must not start with a digit',
    });
    return [];
  }
  return [
    {
      name: value.name,
      view: value.view === true,
      inputs: readParameters(value.inputs ?? [], `${pointer}/inputs`, issues),
      outputs: readParameters(value.outputs ?? [], `${pointer}/outputs`, issues),
    },
  ];
}

function readEvent(value: unknown, pointer: string, issues: Issue[]): InterfaceDocument['events'] {
  if (!isRecord(value) || typeof value.name !== 'string' || !namePattern.test(value.name)) {
    issues.push({
      pointer: `${pointer}/name`,
      detail: 'must contain only letters, digits and _, and must not start with a digit',
    });
    return [];
  }
  return [{ name: value.name, inputs: readParameters(value.inputs ?? [], `${pointer}/inputs`, issues) }];
}

function readDocument(text: string, issues: Issue[]): InterfaceDocument {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    issues.push({ pointer: '', detail: 'is not JSON' });
  }
  if (issues.length === 0 && (!isRecord(parsed) || !Array.isArray(parsed.methods))) {
    issues.push({ pointer: '/methods', detail: 'must be an array' });
  }
  if (!isRecord(parsed) || !Array.isArray(parsed.methods)) {
    return { constructor: { inputs: [] }, methods: [], events: [] };
  }
  const events: unknown[] = Array.isArray(parsed.events) ? parsed.events : [];
  const maker: unknown = Object.hasOwn(parsed, 'constructor') ? parsed.constructor : {};
  return {
    constructor: {
      inputs: readParameters(isRecord(maker) ? (maker.inputs ?? []) : maker, '/constructor/inputs', issues),
    },
    methods: parsed.methods.flatMap((item: unknown, index) => readMethod(item, `/methods/${index}`, issues)),
    events: events.flatMap((item, index) => readEvent(item, `/events/${index}`, issues)),
  };
}

/** Name and parameter types; unique within a contract. */
function signatureOf(method: { name: string; inputs: ContractParameter[] }): string {
  return `${method.name}(${method.inputs.map((input) => input.type).join(',')})`;
}

/** A contract interface with constructor inputs and events. */
export interface ParsedInterface extends ContractInterface {
  constructorInputs: ContractParameter[];
  events: InterfaceDocument['events'];
}

/** @throws AdapterError `invalid-argument` with pointers into the JSON */
export function parseInterface(text: string, phase: Phase = 'interface'): ParsedInterface {
  const issues: Issue[] = [];
  const document = readDocument(text, issues);
  const methods = document.methods.map((method) => ({ ...method, signature: signatureOf(method) }));
  const seen = new Set<string>();
  for (const [index, { signature }] of methods.entries()) {
    if (seen.has(signature))
      issues.push({ pointer: `/methods/${index}`, detail: `${signature} occurs twice` });
    seen.add(signature);
  }
  if (issues.length > 0) {
    const where = issues.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
    throw adapterError('invalid-argument', `The contract interface is not valid: ${where}.`, {
      phase,
      issues,
    });
  }
  return {
    interface: JSON.stringify(document),
    methods,
    constructorInputs: document.constructor.inputs,
    events: document.events,
  };
}

/** Finds a method by its name or signature. */
export function selectMethod(methods: readonly ContractMethod[], name: string, phase: Phase): ContractMethod {
  const found = methods.filter((method) => method.name === name || method.signature === name);
  const [first, second] = found;
  const issues = (detail: string) => ({ issues: [{ pointer: '/method_name', detail }] });
  if (first === undefined) {
    const known = methods.map((method) => method.signature).join(', ');
    const detail = `The contract has no method ${name}; it has: ${known}.`;
    throw adapterError('unknown-method', detail, { phase, ...issues(detail) });
  }
  if (second !== undefined) {
    const detail = `${name} names ${found.length} methods; use one of: ${found.map((one) => one.signature).join(', ')}.`;
    throw adapterError('ambiguous-method', detail, { phase, ...issues(detail) });
  }
  return first;
}

/** Validates argument strings against the types and returns them normalized. */
export function readArguments(
  inputs: readonly ContractParameter[],
  args: readonly string[],
  phase: Phase,
): string[] {
  if (inputs.length !== args.length) {
    const detail = `${inputs.length} arguments are required, but ${args.length} were given.`;
    throw adapterError('invalid-argument', detail, { phase, issues: [{ pointer: '/args', detail }] });
  }
  const issues: Issue[] = [];
  const values = inputs.map((input, index) => {
    const value = args[index] ?? '';
    const normal = readArgument(input.type, value);
    if (normal === undefined) {
      issues.push({ pointer: `/args/${index}`, detail: `is not a value of type ${input.type}` });
    }
    return normal ?? value;
  });
  if (issues.length > 0) {
    const where = issues.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
    throw adapterError('invalid-argument', `The arguments do not match the method: ${where}.`, {
      phase,
      issues,
    });
  }
  return values;
}

function readArgument(type: string, value: string): string | undefined {
  if (type === 'string') return value;
  if (type === 'bool') return value === 'true' || value === 'false' ? value : undefined;
  if (!/^(0x[0-9a-fA-F]+|[0-9]+)$/.test(value)) return undefined;
  const quantity = BigInt(value);
  return quantity <= maximum ? quantity.toString() : undefined;
}
