// Puts faults that an author could write into the Go example. The kit's command must find each fault, or print what
// it could not prove.
import { execFile, spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, sourceArguments } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';

const example = fileURLToPath(new URL('../../../../examples/go-plugin/', import.meta.url));
const command = fileURLToPath(new URL('../../../adapter-kit/src/command/main.ts', import.meta.url));
const isInstalled = spawnSync('go', ['version']).status === 0;
if (!isInstalled)
  console.warn('No faults are put into the Go example, because the command go is not installed.');

type Edit = readonly [file: 'plugin.go' | 'ledger.go' | 'main.go', before: string, after: string];

const submits = '\t\tif err := p.ledger.Submit(transfer); err != nil {\n\t\t\treturn nil, err\n\t\t}\n';
const finds = 'outcome, found := p.ledger.Find(id)';
/** Go code that signs and submits the transfer once more, with this text appended to its reference. */
const another = (reference: string) =>
  `\t\textra := known.Transfer
\t\textra.Reference += ${reference}
\t\textra.Signature = ed25519.Sign(key, extra.message())
\t\t_ = p.ledger.Submit(extra)
`;
const effects =
  'FAIL  as soon as the status of an operation is SUCCEEDED, the ledger contains its effects exactly once';

/** For each fault, its edits and what the report must contain. */
const mutants: readonly [fault: string, found: string, ...edits: Edit[]][] = [
  [
    'nothing is sent, but every operation is reported as SUCCEEDED',
    effects,
    ['plugin.go', submits, ''],
    ['plugin.go', finds, 'outcome, found := Outcome{ID: id, Height: 1}, true'],
  ],
  [
    'a transfer is reported as SUCCEEDED before it is in a block',
    effects,
    ['plugin.go', '\tif !found {\n\t\treturn map[string]any{"status": "PROCESSING"}\n\t}\n', '\t_ = found\n'],
    ['ledger.go', '20 * time.Millisecond', '2 * time.Second'],
  ],
  ['each transfer is sent twice', effects, ['plugin.go', submits, `${submits}${another('"+"')}`]],
  [
    'a repeated action is sent again',
    'FAIL  the ledger executes an action once, even if it is sent many times and again after completion',
    [
      'plugin.go',
      '\tstatus := p.status(known)',
      `\tif found {\n${another('"+"')}\t}\n\tstatus := p.status(known)`,
    ],
  ],
  [
    'the transferred amount is one unit too high',
    effects,
    [
      'plugin.go',
      'return recipient.Resource, value.String(), nil',
      'return recipient.Resource, value.Add(value, big.NewInt(1)).String(), nil',
    ],
  ],
  [
    'an amount is shortened to 64 bits',
    'FAIL  an amount of more than 32 or 64 bits is never shortened',
    [
      'plugin.go',
      'return recipient.Resource, value.String(), nil',
      'return recipient.Resource, new(big.Int).SetUint64(value.Uint64()).String(), nil',
    ],
  ],
  [
    'another wallet pays',
    effects,
    [
      'plugin.go',
      '\tkey := ed25519.PrivateKey(from.Key)\n',
      '\tfor id, other := range p.wallets {\n\t\tif id != from.ID {\n\t\t\tfrom = other\n\t\t\tbreak\n\t\t}\n\t}\n\tkey := ed25519.PrivateKey(from.Key)\n',
    ],
  ],
  [
    'a failed transfer is reported as SUCCEEDED',
    'FAIL  an operation that cannot be executed is rejected, or its status becomes FAILED',
    ['plugin.go', 'if outcome.Reason != "" {', 'if outcome.ID == "" {'],
  ],
  [
    'a failed transfer is sent again if its action is repeated',
    'FAIL  an operation that cannot be executed is rejected, or its status becomes FAILED',
    [
      'plugin.go',
      'if !found {\n\t\ttransfer.Signature',
      'if !found || p.status(known)["status"] == "FAILED" {\n\t\tif found {\n\t\t\ttransfer.Reference += "+"\n\t\t}\n\t\ttransfer.Signature',
    ],
  ],
  [
    'the described form of addresses is not that of the wallets',
    "FAIL  a wallet's address matches the pattern of the description",
    [
      'plugin.go',
      '"^t[0-9a-f]{32}$", "example": "t000102030405060708090a0b0c0d0e0f"',
      '"^x[0-9]$", "example": "x1"',
    ],
  ],
  [
    'native content is ignored',
    'FAIL  unknown native content is rejected, not ignored',
    ['plugin.go', 'case glo.Meta.Ledger["tally"] != nil:', 'case false:'],
  ],
  [
    'after a crash, every action is executed again',
    'FAIL  the ledger executes an action once if the plugin crashes while processing the action',
    [
      'plugin.go',
      '\tfor _, one := range plugin.actions {\n',
      `\tfor _, one := range plugin.actions {
\t\tfor _, from := range plugin.wallets {
\t\t\tkey, extra := ed25519.PrivateKey(from.Key), one.Transfer
\t\t\tif !key.Public().(ed25519.PublicKey).Equal(ed25519.PublicKey(extra.PublicKey)) {
\t\t\t\tcontinue
\t\t\t}
\t\t\textra.Reference += "+"
\t\t\textra.Signature = ed25519.Sign(key, extra.message())
\t\t\t_ = ledger.Submit(extra)
\t\t}
`,
    ],
  ],
  [
    'actions are not stored',
    'FAIL  the ledger executes an action once if the plugin crashes while processing the action',
    [
      'plugin.go',
      'if err := p.store(record{Action: &known}); err != nil {',
      'p.keep(record{Action: &known})\n\t\tif err := error(nil); err != nil {',
    ],
  ],
  [
    'the secret of a wallet is not checked',
    'FAIL  a transaction with a wrong wallet secret is rejected',
    ['plugin.go', 'if subtle.ConstantTimeCompare(from.Secret, secret) == 0 {', 'if len(secret) == 0 {'],
  ],
  [
    'requests for an unknown ledger are accepted',
    'FAIL  createWallet on an unknown ledger is rejected',
    ['plugin.go', 'if request.LedgerID != ledgerID {', 'if request.LedgerID == "" {'],
  ],
  [
    'the block of a final transfer changes with each request',
    'FAIL  statuses are returned in the order',
    ['plugin.go', '"blockHeight":  outcome.Height,', '"blockHeight":  time.Now().UnixNano() / 1000,'],
    ['plugin.go', '\t"sync"\n', '\t"sync"\n\t"time"\n'],
  ],
  [
    'an unknown block height is sent as -1',
    'FAIL  a valid transaction is accepted and becomes SUCCEEDED',
    ['plugin.go', '"blockHeight":  outcome.Height,', '"blockHeight":  -1,'],
  ],
  [
    'deployments are declared, but every deployment is refused',
    'unproved: contract_deploy (',
    ['plugin.go', '[]string{"transfer"}', '[]string{"transfer", "contract_deploy"}'],
  ],
];

interface Kit {
  program: string;
  folder: string;
}

async function build(edits: readonly Edit[]): Promise<Kit> {
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const source = join(folder.path, 'source');
  await cp(example, source, { recursive: true });
  for (const [file, before, after] of edits) {
    const path = join(source, file);
    const text = await readFile(path, 'utf8');
    if (!text.includes(before)) throw new Error(`${file} does not contain: ${before}`);
    await writeFile(
      path,
      text.replace(before, () => after),
    );
  }
  const program = join(folder.path, 'tally');
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: source, env });
  return { program, folder: join(folder.path, 'data') };
}

/** Runs the kit against the built plugin and returns the report. */
async function report({ program, folder }: Kit, hasState = true): Promise<string> {
  const port = await freePort();
  const state = hasState ? ['--state', `${program} balance ${folder} $ACCOUNT`] : [];
  return await promisify(execFile)(process.execPath, [
    ...[
      ...sourceArguments,
      command,
      `http://127.0.0.1:${port}`,
      '--config',
      join(example, 'conformance.json'),
    ],
    ...['--start', `exec ${program} 127.0.0.1:${port} ${folder}`, ...state],
  ]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe.skipIf(!isInstalled)('the kit finds each fault of the Go example', () => {
  test.each(mutants)(
    'the conformance kit finds the fault: %s',
    async (_, found, ...edits) => {
      expect(await report(await build(edits))).toContain(found);
    },
    180_000,
  );

  test('without a command that reads the ledger, the report lists effects as unproved', async () => {
    expect(await report(await build([]), false)).toContain(
      'unproved: effects on the ledger (no command reads the ledger: --state)',
    );
  }, 180_000);
});
