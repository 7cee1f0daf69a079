import { expect, test } from 'vitest';
import type { Shell } from './shell.ts';

/**
 * The commands that tests run against a real server, by test file. Each file checks that it ran its commands;
 * `command-line.test.ts` checks that the list contains every command.
 */
export const commandsRun = {
  'first-transfer.test.ts': [
    ...['init', 'serve', 'login', 'logout', 'profile list'],
    ...['ledger list', 'ledger show', 'ledger technologies', 'ledger add', 'ledger change', 'ledger remove'],
    ...['node list', 'node add', 'node change', 'node remove', 'suspend', 'suspended', 'resume', 'whoami'],
    ...['explorer list', 'explorer show', 'explorer add', 'explorer change', 'explorer remove'],
    ...['wallet list', 'wallet show', 'wallet create', 'wallet export', 'wallet password', 'send', 'batch'],
    ...['wallet exclusive', 'wallet unknown', 'action executed'],
    'action counts',
    ...['ledger health', 'tail', 'open', 'search', 'timeline'],
    ...['action list', 'action show', 'action explain', 'action watch', 'action cancel', 'action hurry'],
  ],
  'administration.test.ts': [
    ...['org list', 'org create', 'org archive', 'org restore'],
    ...['storage list', 'storage set'],
    ...['project list', 'project create', 'project archive', 'project restore'],
    ...['app list', 'app create', 'app change', 'app archive', 'app restore'],
    ...['account list', 'account create', 'account archive', 'account restore'],
    ...['token app', 'token account', 'token list', 'token disable', 'token enable', 'token end-former'],
    ...['key list', 'key create', 'key disable', 'key enable', 'profile use'],
    ...['role list', 'role grant', 'role grants', 'role revoke', 'role revoke-app'],
    ...['role check', 'role permissions'],
    ...['invite list', 'invite send', 'invite cancel'],
    ...['webhook list', 'webhook add', 'webhook remove', 'webhook test', 'webhook rotate', 'webhook show'],
    ...['webhook deliveries', 'webhook replay', 'webhook enable', 'webhook disable'],
    ...['plugin list', 'plugin add', 'plugin show', 'plugin on', 'plugin off', 'plugin selection'],
  ],
  'development.test.ts': [
    ...['dev', 'doctor', 'backup', 'restore', 'end-pending', 'adopt', 'migrate', 'verify', 'move'],
    ...['template list', 'template add', 'deploy', 'call', 'read'],
    ...['contract list', 'contract group', 'contract groups', 'contract register', 'contract show'],
    ...['contract methods', 'contract change', 'contract remove'],
    ...['contract events list', 'contract events add', 'contract events pause', 'contract events resume'],
    ...['contract events remove', 'contract events watch'],
  ],
  'command-line.test.ts': ['plugin check', 'completion', 'complete'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Deployer commands, which run only in `npm run test:faults`, on the data of a development server. */
export const operatorCommands = [
  'doctor',
  'backup',
  'restore',
  'end-pending',
  'adopt',
  'migrate',
  'verify',
  'move',
];

/** Must be the last test in its file. */
export function testCommandsRun(
  file: keyof typeof commandsRun,
  shell: () => Shell,
  except: readonly string[] = [],
): void {
  test(`${file} ran every command that commands-run.ts lists for it`, () => {
    const missing = commandsRun[file].filter((name) => !shell().done.has(name) && !except.includes(name));
    expect(missing).toEqual([]);
  });
}
