import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { generate, nameOf, quoted } from './generate.ts';
import { isLanguage, type Language, languages } from './languages.ts';

const usage = `npm create ledger-ops-plugin [folder] -- [options]

Creates a package with a working plugin for a toy ledger. Replace the toy with your ledger.

  folder                  a new or empty folder, or a repository without files; default: my-ledger
  --language <language>   default: javascript
${Object.entries(languages)
  .map(([language, what]) => `                            ${language.padEnd(12)}${what}`)
  .join('\n')}
  --name <technology>     name of the ledger technology; default: the folder's name
  --help                  shows this text

On a terminal, it prompts for missing options.
`;

interface Answers {
  folder: string;
  language: Language;
  name?: string;
}

/** @throws TypeError */
function readLanguage(text: string): Language {
  if (isLanguage(text)) return text;
  throw new TypeError(
    `${text} is not a supported language. Use one of ${Object.keys(languages).join(', ')}.`,
  );
}

async function readAnswers(args: readonly string[]): Promise<Answers | null> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { language: text, name: text, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) return null;
  if (positionals.length > 1) throw new TypeError('Only one folder can be given.');
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

/** Prompts on a terminal. Otherwise returns the defaults. */
async function openQuestions() {
  const onTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const lines = onTerminal ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  const ask = async (question: string, otherwise: string) =>
    (await lines?.question(`${question} [${otherwise}]: `))?.trim() || otherwise;
  return Object.assign(ask, { close: () => lines?.close() });
}

/** Instructions to print after the package was created. */
function nextSteps(folder: string, language: Language): string {
  const isServed = language === 'python';
  const dev = isServed ? 'serves it on http://127.0.0.1:8080, and restarts it' : 'runs the tests again';
  const plugin = isServed ? 'http://127.0.0.1:8080' : quoted(basename(resolve(folder)));
  return `Created ${folder}.

  cd ${quoted(folder)}
  npm install
  npm test         # runs the conformance kit of the adapter contract
  npm run dev      # ${dev} after each change

Then, in the folder above, start a server with this plugin and send a first operation:

  npx @ledger-ops/cli dev --plugin ${plugin}

README.md describes the next steps.`;
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
  console.error(`${error.message}\n\nFor details: npm create ledger-ops-plugin -- --help`);
  process.exitCode = 2;
}
