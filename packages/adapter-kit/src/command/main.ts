#!/usr/bin/env node
import { readArguments, usage } from './arguments.ts';
import { type Clause, moduleClauses, remoteClauses } from './clauses.ts';
import { readConfiguration } from './configuration.ts';
import { createPluginProcess, type PluginProcess } from './plugin-process.ts';
import { type Finding, lines, prove, summarise } from './report.ts';

let plugin: PluginProcess | undefined;

async function proveAll(clauses: readonly Clause[], report: 'text' | 'json'): Promise<number> {
  const findings: Finding[] = [];
  for (const clause of clauses) {
    const finding = await prove(clause);
    findings.push(finding);
    if (report === 'text') console.log(lines(finding));
  }
  const told = summarise(findings);
  if (report === 'json') console.log(JSON.stringify(told, undefined, 2));
  else console.log(`${told.passed} passed, ${told.failed} failed, ${told.skipped} skipped`);
  return told.failed > 0 || told.passed === 0 ? 1 : 0;
}

async function main(args: readonly string[]): Promise<number> {
  let clauses: Clause[];
  let report: 'text' | 'json';
  try {
    const given = readArguments(args);
    if (given.help) {
      console.log(usage);
      return 0;
    }
    report = given.report;
    if (given.remote === undefined) {
      clauses = await moduleClauses(given.target);
    } else {
      const configuration = readConfiguration(given.remote.config);
      const { commands } = given.remote;
      if (commands !== undefined)
        plugin = createPluginProcess(given.target, commands, configuration.patience);
      await plugin?.begin();
      clauses = remoteClauses(given.target, configuration, plugin);
    }
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : String(error)}\n\nadapter-kit --help says more.`,
    );
    return 2;
  }
  return proveAll(clauses, report);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await plugin?.end();
    process.kill(process.pid, signal);
  });
}
try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await plugin?.end();
}
