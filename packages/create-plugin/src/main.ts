#!/usr/bin/env node
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { generate, nameOf } from './generate.ts';
import { isLanguage, type Language, languages } from './languages.ts';

const usage = `npm create ledger-ops-plugin [folder] -- [options]

Makes a package with an adapter for a ledger of its own invention: it works, and it keeps the contract. Put your ledger
in the place of the toy.

  folder                  default: my-ledger; new, empty, or a repository without files
  --language <language>   default: javascript
${Object.entries(languages)
  .map(([language, what]) => `                            ${language.padEnd(12)}${what}`)
  .join('\n')}
  --name <technology>     how the server calls ledgers of this kind; default: the folder's name
  --help                  this text

On a terminal it asks for what is not given.
`;

interface Answers {
  folder: string;
  language: Language;
  name?: string;
}

/** @throws TypeError that says what is wrong. */
function readLanguage(text: string): Language {
  if (isLanguage(text)) return text;
  throw new TypeError(`${text} is not a language here: ${Object.keys(languages).join(', ')}.`);
}

async function readAnswers(args: readonly string[]): Promise<Answers | null> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { language: text, name: text, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) return null;
  if (positionals.length > 1) throw new TypeError('One folder is needed.');
  const ask = await openQuestions();
  try {
    const folder = positionals[0] ?? (await ask('Folder', 'my-ledger'));
    const language = readLanguage(
      values.language ?? (await ask(`Language (${Object.keys(languages).join(', ')})`, 'javascript')),
    );
    const name = values.name ?? (await ask('Name of the technology', nameOf(folder)));
    return { folder, language, name };
  } finally {
    ask.close();
  }
}

/** Asks on a terminal; elsewhere everything has its default. */
async function openQuestions() {
  const onTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const lines = onTerminal ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  const ask = async (question: string, otherwise: string) =>
    (await lines?.question(`${question} [${otherwise}]: `))?.trim() || otherwise;
  return Object.assign(ask, { close: () => lines?.close() });
}

/** The text for the screen when the package is there. */
function nextSteps(folder: string, language: Language): string {
  const isServed = language === 'python';
  const dev = isServed ? 'serves it on http://127.0.0.1:8080, anew' : 'proves it';
  const plugin = isServed ? 'http://127.0.0.1:8080' : basename(resolve(folder));
  return `Made ${folder}.

  cd ${folder}
  npm install
  npm test         # proves every clause of the contract that can be proved here
  npm run dev      # ${dev} after each change

Then in the folder above, a server with this plugin and a first operation:

  npx @ledger-ops/cli dev --plugin ${plugin}

README.md says more.`;
}

try {
  const answers = await readAnswers(process.argv.slice(2));
  if (answers === null) {
    console.log(usage);
  } else {
    generate(answers);
    console.log(nextSteps(answers.folder, answers.language));
  }
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  console.error(`${error.message}\n\nnpm create ledger-ops-plugin -- --help says more.`);
  process.exitCode = 2;
}
