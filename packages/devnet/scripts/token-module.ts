import solc from 'solc';

interface Compiled {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: { 'Token.sol': { Token: { abi: unknown; evm: { bytecode: { object: string } } } } };
}

/** Returns the content of the generated module for this source. Depends only on the source and the compiler. */
export async function tokenModule(source: string): Promise<string> {
  const output: Compiled = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'Token.sol': { content: source } },
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
  const { abi, evm } = output.contracts['Token.sol'].Token;
  const lines = [
    '// Made by scripts/compile-token.ts from contracts/Token.sol. Do not edit.',
    `export const compilerVersion = ${JSON.stringify(solc.version())};`,
    `export const tokenSource = ${JSON.stringify(source)};`,
    `export const tokenInterface = ${JSON.stringify(JSON.stringify(abi))};`,
    `export const tokenCode = ${JSON.stringify(`0x${evm.bytecode.object}`)};`,
  ];
  return `${lines.join('\n')}\n`;
}
