// A technology is data of its plugin: nothing else of the product names one.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const names = /ethereum|hyperledger|\bfabric\b|fabric[A-Z]|solana|eip155/i;

/** Whose files may: plugins and development ledgers by their names, and what the specification itself describes. */
const mayName = [
  /^packages\/(plugin-(ethereum|fabric|solana)|devnet[a-z-]*)\//,
  /^packages\/glo-core\/src\/(technologies\/specified\/|index\.ts$)/,
  // Development ledgers, and a first operation on each.
  /^apps\/dev\//,
  // Made of that, and of the guide.
  /\.generated\.ts$/,
  // Interfaces in the forms in which they are published, from which contracts have types: an ABI, or a chaincode's metadata.
  /^packages\/client\/src\/(contract|interface|index)\.ts$/,
  // The adapters that the server comes with, by import.
  /^apps\/server\/src\/adapters\.ts$/,
];

/** Examples in the OpenAPI document are told from code by their files, and by being data. */
const holdsExamples = /^apps\/server\/src\/(?:routes|openapi|present|http)\//;
const decides = /===|!==|\bcase\b|\bincludes\(|\benum\(|\bfrom '/;

/** The code of a source, without comments and sentences for people. */
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

test('no technology is named outside of its plugin', () => {
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
