import { ConstructorFragment, EventFragment, Fragment } from 'ethers';

/**
 * A fragment with foreign types, which the contract ABI does not define. Compilers write them for libraries:
 * names of enums, contracts and storage pointers, function values, and fixed-point numbers.
 */
export interface ForeignFragment {
  /** The fragment with an ABI type in place of each foreign type. */
  fragment: Fragment;
  /** The original JSON. */
  json: Readonly<Record<string, unknown>>;
  name: string;
  /** For example `paint(Colors.Color)`. */
  signature: string;
  /** The foreign types of the method's arguments; empty if only its results have such types. */
  inputTypes: readonly string[];
}

/** A parameter as written in JSON ABIs. */
interface JsonParameter {
  name?: unknown;
  type: string;
  components?: unknown;
}

/** Type that replaces a foreign type in a string. The string must not contain it already. */
const placeholder = 'uint152';
const longestType = 200;
const kinds: ReadonlySet<string> = new Set(['constructor', 'error', 'event', 'function']);
const known =
  /^(?:address|bool|string|tuple|bytes(?:[1-9]|[12]\d|3[0-2])?|u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|1(?:04|12|20|28|36|44|52|60|68|76|84|92)|2(?:00|08|16|24|32|40|48|56))?)$/;

/**
 * Reads a fragment that the ABI coder rejects because of its types; undefined if the fragment is invalid for
 * other reasons.
 */
export function readForeignFragment(item: unknown): ForeignFragment | undefined {
  const json = typeof item === 'string' ? jsonOf(item) : item;
  if (!isRecord(json)) return undefined;
  const { inputs = [], outputs = [], name, type } = json;
  if (typeof type !== 'string' || !kinds.has(type)) return undefined;
  if (type !== 'constructor' && typeof name !== 'string') return undefined;
  const foreign: string[] = [];
  const replace = (parameter: JsonParameter): JsonParameter => {
    const [base, suffix] = splitType(parameter.type);
    if (known.test(base)) return parameter;
    foreign.push(base);
    return { ...parameter, type: `uint8${suffix}` };
  };
  try {
    const replacedInputs = mapParameters(inputs, replace);
    const inputTypes = [...foreign];
    const replaced = { ...json, inputs: replacedInputs, outputs: mapParameters(outputs, replace) };
    const fragment = Fragment.from(replaced);
    if (foreign.length === 0 || foreign.some((one) => !isTypeName(one))) return undefined;
    const called = typeof name === 'string' ? name : 'constructor';
    return { fragment, json, name: called, inputTypes, signature: `${called}${signatureOf(inputs)}` };
  } catch {
    return undefined;
  }
}

/** The original type names, such as `(Colors.Color,uint256)[]`, of a foreign fragment's inputs or outputs. */
export function foreignParameters(parameters: unknown): { name: string; type: string }[] {
  return parametersOf(parameters ?? []).map((parameter) => ({
    name: typeof parameter.name === 'string' ? parameter.name : '',
    type: typeText(parameter),
  }));
}

export function isForeignConstructor({ fragment }: ForeignFragment): boolean {
  return ConstructorFragment.isFragment(fragment);
}

/**
 * Returns the JSON form of a fragment in which only type names are foreign; undefined if the fragment is
 * invalid.
 */
function jsonOf(text: string): unknown {
  if (text.includes(placeholder)) return undefined;
  const types: string[] = [];
  const words = /([(,]\s*)((?:(?:struct|enum|contract) )?[A-Za-z_$][\w$.]*)/g;
  const replaced = text.replace(words, (whole, before: string, word: string) => {
    if (known.test(word)) return whole;
    types.push(word);
    return `${before}${placeholder}`;
  });
  try {
    const json: { inputs?: unknown; outputs?: unknown } = JSON.parse(readText(replaced).format('json'));
    const restore = (parameter: JsonParameter): JsonParameter => {
      const [base, suffix] = splitType(parameter.type);
      return base === placeholder ? { ...parameter, type: `${types.shift()}${suffix}` } : parameter;
    };
    const inputs = mapParameters(json.inputs ?? [], restore);
    const outputs = json.outputs === undefined ? {} : { outputs: mapParameters(json.outputs, restore) };
    return { ...json, inputs, ...outputs };
  } catch {
    return undefined;
  }
}

/** Parses a fragment written as a string. Ethers accepts neither the word `anonymous` nor a semicolon. */
export function readText(text: string): Fragment {
  const trimmed = text.trim();
  const written = trimmed.endsWith(';') ? trimmed.slice(0, -1).trimEnd() : trimmed;
  if (!written.endsWith('anonymous') || !written.startsWith('event')) return Fragment.from(written);
  const event = Fragment.from(written.slice(0, -'anonymous'.length).trimEnd());
  if (!EventFragment.isFragment(event)) throw new TypeError('Only events can be anonymous.');
  return Fragment.from({ ...JSON.parse(event.format('json')), anonymous: true });
}

/** Applies a change to each parameter, also inside tuples. @throws TypeError if this is not a list of parameters */
function mapParameters(
  parameters: unknown,
  change: (parameter: JsonParameter) => JsonParameter,
): JsonParameter[] {
  return parametersOf(parameters).map((parameter) => {
    const changed = change(parameter);
    if (splitType(changed.type)[0] !== 'tuple') return changed;
    return { ...changed, components: mapParameters(changed.components, change) };
  });
}

function parametersOf(parameters: unknown): JsonParameter[] {
  if (!Array.isArray(parameters)) throw new TypeError('The list of parameters is missing.');
  return parameters.map((parameter: unknown) => {
    if (!isRecord(parameter) || typeof parameter.type !== 'string')
      throw new TypeError('A parameter has no type.');
    if (parameter.type.length > longestType) throw new TypeError('A type is too long.');
    return { ...parameter, type: parameter.type };
  });
}

function signatureOf(parameters: unknown): string {
  return `(${parametersOf(parameters).map(typeText).join(',')})`;
}

function typeText({ type, components }: JsonParameter): string {
  const [base, suffix] = splitType(type);
  return base === 'tuple' ? `${signatureOf(components)}${suffix}` : type;
}

function splitType(type: string): [base: string, suffix: string] {
  const suffix = /(?:\[\d*\])*$/.exec(type)?.[0] ?? '';
  return [type.slice(0, type.length - suffix.length), suffix];
}

function isTypeName(type: string): boolean {
  return /^[\w$][\w$ .,()=>]*$/.test(type);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
