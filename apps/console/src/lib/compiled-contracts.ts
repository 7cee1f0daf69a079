/** A contract in what a compiler wrote. */
export interface CompiledContract {
  /** `File.sol:Name`. */
  readonly name: string;
  /** The interface as the compiler wrote it, JSON or a text of it. */
  readonly abi: unknown;
  /** Creation code in hexadecimal; empty for an interface or an abstract contract. */
  readonly bytecode: string;
}

/** The contracts in an output of solc, be it Standard JSON or combined JSON; none where a text is anything else. */
export function compiledContractsIn(text: string): CompiledContract[] {
  return membersOf(jsonOf(text), 'contracts').flatMap(([file, one]) =>
    // Combined JSON has them by file and name at once.
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

/** Of a value, or of a member of it; none where that is no object. */
function membersOf(value: unknown, name?: string): [string, unknown][] {
  const its = name === undefined ? value : memberOf(value, name);
  return typeof its === 'object' && its !== null ? Object.entries(its) : [];
}
