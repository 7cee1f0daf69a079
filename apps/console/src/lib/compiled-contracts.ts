/** A contract in a compiler's output. */
export interface CompiledContract {
  readonly name: string;
  /** The interface as the compiler wrote it: JSON, or a string that contains JSON. */
  readonly abi: unknown;
  /** Creation code in hexadecimal; empty for an interface or an abstract contract. */
  readonly bytecode: string;
}

/** Returns the contracts in solc's Standard JSON or combined JSON output; empty for any other input. */
export function compiledContractsIn(text: string): CompiledContract[] {
  return membersOf(jsonOf(text), 'contracts').flatMap(([file, one]) =>
    // Combined JSON keys contracts by `file:name`.
    memberOf(one, 'abi') === undefined
      ? membersOf(one).map(([name, its]) => contractOf(`${file}:${name}`, its))
      : [contractOf(file, one)],
  );
}

function contractOf(name: string, compiled: unknown): CompiledContract {
  const code =
    memberOf(memberOf(memberOf(compiled, 'evm'), 'bytecode'), 'object') ?? memberOf(compiled, 'bin');
  return { name, abi: memberOf(compiled, 'abi'), bytecode: typeof code === 'string' ? code : '' };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** Returns the entries of a value, or of one of its members. Empty if it is not an object. */
function membersOf(value: unknown, name?: string): [string, unknown][] {
  const its = name === undefined ? value : memberOf(value, name);
  return typeof its === 'object' && its !== null ? Object.entries(its) : [];
}
