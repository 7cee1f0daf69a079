import type { Schemas } from '../api/types.ts';

/** An argument of a method or a constructor, as a form asks for it. */
export interface Parameter {
  readonly name: string;
  readonly type: string;
}

/** A method as a contract's interface names it. */
export interface Method {
  /** By which it is called: the signature, where names alone are not enough. */
  readonly id: string;
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** It changes nothing, so that it is asked and not sent. */
  readonly isView: boolean;
}

/** The arguments that code of a template is deployed with. */
export function constructorOf(specification: Schemas['OldContractSpecification']): Parameter[] {
  const { abi } = objectIn(specification.compilationSpecification ?? '');
  const found = listOf(abi).find((entry) => entry.type === 'constructor');
  return parametersOf(found?.inputs);
}

/** The methods of an interface in one of the forms that ledgers have; of a form that is not known, none. */
export function methodsOf(text: string): Method[] {
  const value = parse(text);
  const entries = listOf(Array.isArray(value) ? value : objectIn(text).abi);
  if (entries.length > 0) return ethereumMethods(entries);
  return fabricMethods(objectIn(text));
}

function ethereumMethods(entries: Entry[]): Method[] {
  const functions = entries.filter(({ type }) => type === 'function');
  return functions.map((entry) => {
    const name = String(entry.name);
    const parameters = parametersOf(entry.inputs);
    const isOverloaded = functions.filter((other) => other.name === entry.name).length > 1;
    const signature = `${name}(${parameters.map(({ type }) => type).join(',')})`;
    const isView = entry.stateMutability === 'view' || entry.stateMutability === 'pure';
    return { id: isOverloaded ? signature : name, name, parameters, isView };
  });
}

/** As chaincode describes itself: contracts with transactions. */
function fabricMethods({ contracts }: Record<string, unknown>): Method[] {
  if (typeof contracts !== 'object' || contracts === null) return [];
  return Object.values(contracts).flatMap((contract) =>
    listOf(contract?.transactions).map(({ name, parameters, tag }) => ({
      id: String(name),
      name: String(name),
      parameters: listOf(parameters).map((one) => ({
        name: String(one.name),
        type: String(one.schema?.type ?? 'string'),
      })),
      isView: Array.isArray(tag) && tag.includes('evaluate'),
    })),
  );
}

/** An object in an interface; members are looked at as they come. */
interface Entry extends Record<string, unknown> {
  readonly schema?: { readonly type?: unknown };
}

function parametersOf(inputs: unknown): Parameter[] {
  return listOf(inputs).map(({ name, type }, index) => ({
    name: typeof name === 'string' && name !== '' ? name : `argument ${index + 1}`,
    type: String(type),
  }));
}

function listOf(value: unknown): Entry[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Entry => typeof one === 'object' && one !== null);
}

function objectIn(text: string): Record<string, unknown> {
  const value = parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
