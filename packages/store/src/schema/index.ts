import { actionTables } from './actions.ts';
import { administrationTables } from './administration.ts';
import { authTables } from './auth.ts';
import { contractEventTables } from './contract-events.ts';
import type { Dialect } from './dialect.ts';
import { installationTables } from './installation.ts';
import { registryTables } from './registry.ts';
import { signInTables } from './sign-in.ts';
import { storageTables } from './storage.ts';
import { timelineTables } from './timeline.ts';
import { walletTables } from './wallets.ts';
import { webhookTables } from './webhooks.ts';

/** Returns all tables of a dialect. They are built once for each dialect. */
export function buildTables(d: Dialect): Tables {
  const tables = built.get(d) ?? build(d);
  built.set(d, tables);
  return tables;
}

const built = new Map<Dialect, Tables>();

function build(d: Dialect) {
  return {
    ...actionTables(d),
    ...walletTables(d),
    ...registryTables(d),
    ...authTables(d),
    ...signInTables(d),
    ...administrationTables(d),
    ...timelineTables(d),
    ...webhookTables(d),
    ...contractEventTables(d),
    ...storageTables(d),
    ...installationTables(d),
  };
}

/** The tables, with PostgreSQL's types. */
export type Tables = ReturnType<typeof build>;
