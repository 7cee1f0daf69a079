import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const names = /ethereum|hyperledger|\bfabric\b|fabric[A-Z]|solana|eip155/i;

/** Files that may name technologies: plugins, development ledgers, and code that the specification describes. */
const mayName = [
  /^packages\/(plugin-(ethereum|fabric|solana)|devnet[a-z-]*)\//,
  /^packages\/glo-core\/src\/(technologies\/specified\/|index\.ts$)/,
  // The development server's ledgers, each with a first operation.
  /^apps\/dev\//,
  // Generated from those files and from the guide.
  /\.generated\.ts$/,
  // Published interface formats from which contracts get types: an ABI, or a chaincode's metadata.
  /^packages\/client\/src\/(contract|interface|index)\.ts$/,
  // The server's list of built-in adapters, which imports them.
  /^apps\/server\/src\/adapters\.ts$/,
];

/** Files with examples for the OpenAPI document. Only their lines that match `decides` must not name technologies. */
const holdsExamples = /^apps\/server\/src\/(?:routes|openapi|present|http)\//;
const decides = /===|!==|\bcase\b|\bincludes\(|\benum\(|\bfrom '/;

/** Returns the code of a source, without comments and sentences for people. */
function codeOf(source: string): string {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, (text) => (text.includes(' ') ? "''" : text));
}

function sources(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\/(?:node_modules|testing)\//.test(name));
}

const folders = [
  ...readdirSync(`${root}packages`).map((name) => `packages/${name}/src`),
  ...readdirSync(`${root}apps`).map((name) => `apps/${name}/src`),
].filter((folder) => !mayName.some((may) => may.test(`${folder}/`)));

test('only the code of plugins contains names of technologies', () => {
  const naming = folders
    .flatMap(sources)
    .filter((file) => !mayName.some((may) => may.test(file)))
    .flatMap((file) =>
      codeOf(readFileSync(`${root}${file}`, 'utf8'))
        .split('\n')
        .filter((line) => names.test(line) && (!holdsExamples.test(file) || decides.test(line)))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(naming).toEqual([]);
});
