import { expect, test } from 'vitest';
import { misspelledSettings, misspelledText } from '../../src/settings/misspelled.ts';
import { settings } from '../../src/settings/settings.ts';

const meantBy = (name: string, given: readonly string[] = []) =>
  misspelledSettings(settings, { [name]: 'x' }, new Set(given))[0]?.meant;

test.each([
  ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATBASE_ULR', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA_DRI', 'DATA_DIR'],
  ['LEDGER_OPS_DATABASE_URL', 'DATABASE_URL'],
  ['LEDGEROPS_DATABASE_URL', 'DATABASE_URL'],
  ['MASTERKEY_FILE', 'MASTER_KEY_FILE'],
  ['DATA_DIR_FILE', 'DATA_DIR'],
  ['OUTBOUND_OPENED', 'OUTBOUND_OPEN'],
])('the variable %s is reported with the suggestion %s', (name, meant) => {
  expect(meantBy(name)).toBe(meant);
});

test.each([
  ...[
    'PATH',
    'HOME',
    'HOSTNAME',
    'PWD',
    'USER',
    'TERM',
    'LANG',
    'SHELL',
    'SHLVL',
    'TMPDIR',
    'POST',
    'SORT',
    'HOSTS',
  ],
  ...[
    'NODE_ENV',
    'NODE_OPTIONS',
    'NODE_VERSION',
    'NPM_CONFIG_CACHE',
    'npm_config_user_agent',
    'BASH_ENV',
    'HTTP_URL',
  ],
  ...['PGHOST', 'PGPORT', 'PGDATABASE', 'PGDATA', 'POSTGRES_DB', 'POSTGRES_PASSWORD_FILE', 'DATABASE_PORT'],
  ...['KUBERNETES_PORT', 'KUBERNETES_SERVICE_HOST', 'LEDGER_OPS_PORT', 'LEDGER_OPS_SERVICE_HOST'],
  ...['LEDGER_OPS_PORT_3000_TCP', 'LEDGER_OPS_METRICS_PORT', 'DATABASE_SERVICE_HOST', 'LEDGER_OPS_URL'],
  ...[
    'OTEL_TRACES_EXPORTER',
    'OTEL_METRICS_EXPORTER',
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    'OTEL_LOG_LEVEL',
  ],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'SSH_AUTH_SOCK',
    'XDG_DATA_DIRS',
    'XDG_RUNTIME_DIR',
    'INVOCATION_ID',
  ],
])('the variable %s is not reported as a misspelled setting', (name) => {
  expect(meantBy(name)).toBeUndefined();
});

test('a misspelled setting is not reported if the setting is also set correctly', () => {
  expect(meantBy('DATABASE_URI', ['DATABASE_URL'])).toBeUndefined();
  expect(meantBy('DATABASE_URI', ['DATABASE_URL_FILE'])).toBeUndefined();
  expect(misspelledText(misspelledSettings(settings, { DATABSE_URL: 'secret' }, new Set()))).toBe(
    'DATABSE_URL is not a setting; did you mean DATABASE_URL?',
  );
});
