import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { sourceArguments } from '../../../../testing/children.ts';
import { failure } from '../../test/world.ts';
import { compileSource, type Solc } from './compile-source.ts';
import { type Compiler, type CompilerOptions, createCompiler } from './compiler.ts';
import { findImport } from './find-import.ts';
import { bundledCompiler, checkCompilerVersion, readSource } from './source.ts';
import type { CompileResult } from './types.ts';

const compilers: Compiler[] = [];
afterEach(async () => {
  for (const compiler of compilers.splice(0)) await compiler.close();
});
function open(options: CompilerOptions = {}): Compiler {
  const compiler = createCompiler(options);
  compilers.push(compiler);
  return compiler;
}
const head = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n';
const compile = (source: unknown, target: string | null = null, options: CompilerOptions = {}) =>
  open(options).compile({ source: readSource(source, '/s'), target });
const files = (sources: Record<string, string>, settings: object = {}) => ({
  language: 'Solidity',
  sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
  settings,
});
const errors = (result: CompileResult) => result.messages.filter(({ severity }) => severity === 'error');

// solc has no suitable types.
const solc = createRequire(import.meta.url)('solc') as Solc;
/** Runs without a thread, because each thread would load the compiler again. */
const compileHere = (source: unknown, target: string | null = null) =>
  compileSource(solc, { source: readSource(source, '/s'), target }, findImport);

describe('compiling', { timeout: 300_000 }, () => {
  it('compiles the only deployable contract to its interface and creation code', async () => {
    const result = await compile(
      `${head}interface I {} abstract contract Base {} contract Box is Base { uint256 public value; constructor(uint256 v) { value = v; } }`,
    );
    expect(result).toMatchObject({ ok: true, contract: 'Contract.sol:Box', messages: [] });
    if (!result.ok) return;
    expect(result.bytecode).toMatch(/^0x60[0-9a-f]+$/);
    expect(JSON.parse(result.abi)).toContainEqual(expect.objectContaining({ name: 'value' }));
    expect(result.compilerVersion).toContain(bundledCompiler());
  });

  it('resolves imports from the sources and from OpenZeppelin, and loads only the imported files', async () => {
    const result = await compile(
      files({
        'contracts/Coin.sol': `${head}import "@openzeppelin/contracts/token/ERC20/ERC20.sol"; import "./lib/Names.sol"; contract Coin is ERC20, Names { constructor() ERC20("Coin", "C") { _mint(msg.sender, 1); } }`,
        'contracts/lib/Names.sol': `${head}abstract contract Names { function label() external pure returns (string memory) { return "x"; } }`,
      }),
    );
    expect(errors(result)).toEqual([]);
    expect(result).toMatchObject({ ok: true, contract: 'contracts/Coin.sol:Coin' });
  });

  it('reports compiler messages with line and severity', () => {
    const result = compileHere(
      `${head}contract A {\n  function f() public {\n    uint x = "text";\n    nothing();\n  }\n}`,
    );
    expect(result.ok).toBe(false);
    const lines = result.messages.map(({ severity, file, line, message }) => [severity, file, line, message]);
    expect(lines).toContainEqual([
      'error',
      'Contract.sol',
      6,
      expect.stringContaining('Undeclared identifier'),
    ]);
    const warned = compileHere(`${head}contract A { function f() public { uint x; } }`);
    expect(warned).toMatchObject({ ok: true });
    expect(warned.messages[0]).toMatchObject({ severity: 'warning', file: 'Contract.sol', line: 3 });
  });

  it('requires a target if there are several contracts, and lists them', () => {
    const two = `${head}contract A { uint x; } contract B { uint y; } interface I {}`;
    expect(errors(compileHere(two))[0]?.message).toContain('Contract.sol:A, Contract.sol:B');
    expect(compileHere(two, 'B')).toMatchObject({ ok: true, contract: 'Contract.sol:B' });
    expect(compileHere(two, 'Contract.sol:A')).toMatchObject({ ok: true, contract: 'Contract.sol:A' });
    expect(errors(compileHere(two, 'C'))[0]?.message).toContain('no contract C');
    expect(errors(compileHere(two, 'I'))[0]?.message).toContain('abstract or an interface');
    expect(errors(compileHere(`${head}interface I {}`))[0]?.message).toContain('no deployable contract');
  });

  it('rejects unlinked libraries by name, and accepts linked ones', () => {
    const sources = {
      'A.sol': `${head}library L { function f(uint x) external pure returns (uint) { return x; } } contract A { function g() external pure returns (uint) { return L.f(1); } }`,
    };
    const [error] = errors(compileHere(files(sources), 'A'));
    expect(error?.message).toContain('A.sol:L, which is not linked');
    const linked = files(sources, {
      libraries: { 'A.sol': { L: '0x00000000000000000000000000000000000000aa' } },
    });
    expect(compileHere(linked, 'A')).toMatchObject({ ok: true });
  });

  it('a compilation cannot read files outside the sources', async () => {
    const imports = [
      '/etc/passwd',
      '../../../../etc/passwd',
      'file:///etc/passwd',
      'https://example.com/A.sol',
      'solc/soljson.js',
      '@openzeppelin/contracts/../package.json',
      '@openzeppelin/contracts/package.json',
      '@openzeppelin/contracts/../../solc/package.sol',
      'zod/index.sol',
    ];
    for (const path of imports) {
      expect(findImport(path)).toMatchObject({ error: expect.stringContaining('was not found') });
    }
    const result = await compile(
      files(
        { 'A.sol': `${head}import "lib/x.sol"; import "up/passwd"; contract A {}` },
        {
          remappings: ['lib/=@openzeppelin/contracts/../../', 'up/=/etc/'],
        },
      ),
    );
    expect(errors(result)).toHaveLength(2);
    expect(JSON.stringify(result)).not.toContain('root:');
  });

  it('stops a compilation that takes too long, and continues with the next', async () => {
    const slow = `${head}contract A { ${Array.from({ length: 800 }, (_, i) => `function f${i}(uint a) external pure returns (uint) { return a * ${i} + ${i + 1} / (a + 1); }`).join('\n')} }`;
    const compiler = open({ timing: { compilation: 100 } });
    const source = readSource(files({ 'A.sol': slow }, { viaIR: true, optimizer: { enabled: true } }), '/s');
    const results = await Promise.all([
      compiler.compile({ source, target: null }),
      compiler.compile({ source, target: null }),
    ]);
    for (const result of results)
      expect(errors(result)[0]?.message).toBe(
        'The compiler took longer than 0.1 s. Make the sources smaller.',
      );
  });

  it('stops a compilation that uses too much memory', async () => {
    const result = await compile(`${head}contract A {}`, null, { memoryLimit: 17_825_792 });
    expect(errors(result)[0]?.message).toBe(
      'The compiler needs more than 17 MiB of memory. Make the sources smaller.',
    );
  });

  it('limits the number of waiting compilations, and rejects those still waiting when the compiler closes', async () => {
    const compiler = open({ maxWaiting: 1, atOnce: 1 });
    const request = { source: readSource(`${head}contract A {}`, '/s'), target: null };
    const first = failure(compiler.compile(request));
    const second = failure(compiler.compile(request));
    expect(await failure(compiler.compile(request))).toMatchObject({ problem: 'too-many-requests' });
    await compiler.close();
    expect(await first).toMatchObject({ problem: 'unavailable' });
    expect(await second).toMatchObject({ problem: 'unavailable' });
    expect(await failure(compiler.compile(request))).toMatchObject({ problem: 'unavailable' });
  });
});

describe('reading sources for the compiler', () => {
  it('reads Standard JSON with inline sources, and plain Solidity', () => {
    expect(JSON.parse(readSource('contract A {}', '/s'))).toEqual({
      language: 'Solidity',
      sources: { 'Contract.sol': { content: 'contract A {}' } },
    });
    const json = files({ 'a/B.sol': '' }, { optimizer: { enabled: true, runs: 200 } });
    expect(JSON.parse(readSource(JSON.stringify(json), '/s'))).toEqual(json);
    expect(JSON.parse(readSource(json, '/s'))).toEqual(json);
  });

  it.each<[unknown, string]>([
    ['{', '/s'],
    [{ language: 'Yul', sources: { a: { content: '' } } }, '/s/language'],
    [{ language: 'Solidity', sources: {} }, '/s/sources'],
    [
      { language: 'Solidity', sources: { 'A.sol': { content: '', urls: ['/etc/passwd'] } } },
      '/s/sources/A.sol',
    ],
    [files({ '../A.sol': '' }), '/s/sources'],
    [files({ 'a/../A.sol': '' }), '/s/sources'],
    [files({ '/etc/A.sol': '' }), '/s/sources'],
    [files({ 'file:A.sol': '' }), '/s/sources'],
    [files({ 'a\\A.sol': '' }), '/s/sources'],
    [files({ 'A.sol': '' }, { modelChecker: {} }), '/s/settings'],
    [files({ 'A.sol': '' }, { stopAfter: 'parsing' }), '/s/settings'],
    ['x'.repeat(5_242_881), '/s'],
    [undefined, '/s'],
    [7, '/s'],
  ])('rejects the invalid compiler input %#', async (source, pointer) => {
    const error = await failure(Promise.resolve().then(() => readSource(source, '/s')));
    expect(error).toMatchObject({ problem: 'invalid-request' });
    expect(error).toMatchObject({ errors: [{ pointer: expect.stringContaining(pointer) }] });
  });

  it('accepts a request for the bundled compiler version by number or range, and rejects others', () => {
    const bundled = bundledCompiler();
    for (const wanted of [null, '', bundled, '^0.8.20', `v${bundled}+commit.00000000`]) {
      checkCompilerVersion(wanted, '/v');
    }
    for (const wanted of ['0.7.6', '^0.7.0', 'latest?']) {
      expect(() => checkCompilerVersion(wanted, '/v')).toThrow(bundled);
    }
  });
});

it('importing the package does not load the compiler', async () => {
  const index = fileURLToPath(new URL('../index.ts', import.meta.url));
  const script = `
    import { createRequire } from 'node:module';
    await import(${JSON.stringify(index)});
    const { createCompiler } = await import(${JSON.stringify(index)});
    createCompiler();
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((name) => /[\\\\/]solc[\\\\/]/.test(name));
    console.log(JSON.stringify(loaded));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...sourceArguments,
    '--input-type=module',
    '--eval',
    script,
  ]);
  expect(JSON.parse(stdout)).toEqual([]);
});
