import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { otherJobs, stalledJobs } from '../stalls/job-names.ts';

const operations = 'operations, which declare it as `contacts`';
const command = 'commands of the deployer';
const shared = 'the callers below';

/**
 * Files that call a ledger, a plugin, a receiver, a mail server or a collector, each with the work that needs these
 * calls.
 */
const callers: Readonly<Record<string, readonly string[]>> = {
  'apps/server/src/commands/doctor.ts': [command],
  'apps/server/src/core.ts': [operations],
  'apps/server/src/ports/contract-methods.ts': [operations],
  'apps/server/src/ports/contract-reader.ts': [operations],
  'apps/server/src/ports/gateway-service.ts': [operations],
  'apps/server/src/ports/node-probe.ts': [operations],
  'apps/server/src/ports/technologies-port.ts': [operations],
  'apps/server/src/traces/open-tracer.ts': ['export traces'],
  'packages/auth/src/admin/mail/outbox.ts': ['send mail'],
  'packages/runtime/src/actions/change-requests.ts': [operations],
  'packages/runtime/src/actions/emitted-events.ts': [operations],
  'packages/runtime/src/actions/emulate.ts': [operations],
  'packages/runtime/src/actions/other-wallets.ts': [operations],
  'packages/runtime/src/actions/outside-transactions.ts': [operations],
  'packages/runtime/src/actions/send.ts': [operations],
  'packages/runtime/src/actions/unknown-matches.ts': [operations],
  'packages/runtime/src/actions/visibility.ts': [operations],
  'packages/runtime/src/contract-events/reader.ts': ['read contract events'],
  'packages/runtime/src/contract-events/start-position.ts': [operations],
  'packages/runtime/src/contract-events/subscriptions.ts': [operations],
  'packages/runtime/src/engine/chains/dependent-accounts.ts': ['follow ledgers', operations],
  'packages/runtime/src/engine/chains/idle-accounts.ts': ['compare idle accounts'],
  'packages/runtime/src/engine/chains/lost-actions.ts': ['follow ledgers'],
  'packages/runtime/src/engine/chains/trackers.ts': ['follow ledgers', operations],
  'packages/runtime/src/engine/replacing/overdue.ts': ['replace late transactions'],
  'packages/runtime/src/engine/replacing/sequence-gaps.ts': ['replace late transactions'],
  'packages/runtime/src/engine/replacing/sign-replacements.ts': ['replace late transactions'],
  'packages/runtime/src/engine/signing/accounts.ts': ['sign actions', operations],
  'packages/runtime/src/engine/signing/compare-account.ts': ['compare idle accounts', operations],
  'packages/runtime/src/engine/signing/comparisons.ts': ['sign actions'],
  'packages/runtime/src/engine/signing/estimate.ts': ['sign actions', operations],
  'packages/runtime/src/engine/signing/plan.ts': ['sign actions', operations],
  'packages/runtime/src/engine/signing/prepare.ts': ['sign actions'],
  'packages/runtime/src/engine/signing/signer.ts': ['sign actions', operations],
  'packages/runtime/src/engine/tracking/broadcaster.ts': ['follow ledgers'],
  'packages/runtime/src/engine/tracking/history.ts': ['follow ledgers'],
  'packages/runtime/src/engine/tracking/lost-transactions.ts': ['follow ledgers'],
  'packages/runtime/src/engine/tracking/poller.ts': ['follow ledgers'],
  'packages/runtime/src/ledgers.ts': [shared],
  'packages/runtime/src/open-ledger.ts': [shared],
  'packages/runtime/src/plugins/remote/remote-health.ts': ['probe remote plugins'],
  'packages/runtime/src/plugins/select.ts': [operations],
  'packages/runtime/src/verify/verify-ledger.ts': [command],
  'packages/runtime/src/wallets/create-wallet.ts': [operations],
  'packages/runtime/src/wallets/known-history.ts': [operations],
  'packages/runtime/src/wallets/renewals.ts': ['renew wallets'],
  'packages/runtime/src/wallets/wallets.ts': [operations],
  'packages/runtime/src/webhooks/send.ts': ['deliver webhooks', operations],
};

/** Methods of a ledger's session that may send requests. */
const sessionCalls = [
  ...['chain', 'createWallet', 'advanceWallet', 'renewWallet', 'normaliseAddress', 'check', 'estimate'],
  ...['prepare', 'advance', 'submit', 'confirm', 'onHead', 'sequences', 'replace', 'inspect', 'balances'],
  ...['lookup', 'transactionAt', 'transactionsOf', 'signersOf', 'emulate', 'emulateAs', 'describeContract'],
  'contractEvents',
];
const calls: readonly RegExp[] = [
  new RegExp(`\\bsession\\??\\s*\\.(?:${sessionCalls.join('|')})\\b`),
  /\.chain\((?:\{|\))/,
  /ledgers\.(?:open|reopen|probe|reader)\(/,
  /plugins\.(?:choose|plugin|inspect|check)\(/,
  /transport\.send\(|poster\.post\(|#options\.probe\(|new OTLPTraceExporter\(/,
];

const top = fileURLToPath(new URL('../../../../', import.meta.url));
const folders = ['apps/server/src', ...['auth', 'registry', 'runtime'].map((name) => `packages/${name}/src`)];

function calling(): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(top + folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !/\.(?:test|generated)\.ts$|(?:^|\/)testing\//.test(name))
        .map((name) => `${folder}/${name}`),
    )
    .filter((file) => {
      const code = readFileSync(top + file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      return calls.some((call) => call.test(code));
    });
}

test('every file that sends requests outside the server is listed with the work that needs them', () => {
  expect(calling().sort()).toEqual(Object.keys(callers).sort());
});

test('each background job that sends requests is tested with peers that stall, or its limits are named', () => {
  const jobs = new Set(Object.values(callers).flat());
  for (const caller of [operations, command, shared]) jobs.delete(caller);
  const tested = [...stalledJobs, ...Object.keys(otherJobs)];
  expect([...jobs].sort()).toEqual(tested.sort());
});
