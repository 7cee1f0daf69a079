import solc from 'solc';

interface Compiled {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>>;
}

/** Compiles a source and returns the text of the committed file: ABI and creation code of each contract. */
export function compileContracts(source: string): string {
  const output: Compiled = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'Fixture.sol': { content: source } },
        settings: {
          optimizer: { enabled: true, runs: 200 },
          metadata: { bytecodeHash: 'none', appendCBOR: false },
          outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
        },
      }),
    ),
  );
  const faults = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new SyntaxError(faults.map((fault) => fault.formattedMessage).join('\n'));
  const contracts = Object.entries(output.contracts['Fixture.sol'] ?? {}).map(([name, { abi, evm }]) => [
    name,
    { interface: JSON.stringify(abi), code: `0x${evm.bytecode.object}` },
  ]);
  return `${JSON.stringify(Object.fromEntries(contracts), null, 2)}\n`;
}
