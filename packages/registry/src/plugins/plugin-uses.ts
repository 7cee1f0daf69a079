import { Problem } from '@ledger-ops/base';
import type { Queries, Tx } from '@ledger-ops/store';
import { and, asc, count, eq, inArray, sql } from 'drizzle-orm';
import { ledgerRecord } from '../ledgers/ledgers.ts';
import { projectOf } from '../scope.ts';
import { choosePlugin } from './choose-plugin.ts';
import { type PluginRow, readPlugins } from './plugin-rows.ts';
import type { PluginRecord } from './types.ts';

/** The properties that select a plugin are never secret, so no secret is opened. */
const closed = { seal: () => null, open: () => ({}) };

const named = 10;

/** Lists, in words, the actions that the plugin planned and must still sign. */
export async function unsignedOf({ db, t: { action } }: Tx, uid: string): Promise<string[]> {
  const rows = await db
    .select({ id: action.id })
    .from(action)
    .where(
      and(eq(action.status, 'PENDING'), eq(action.plugin, uid), inArray(action.stage, ['blocked', 'ready'])),
    )
    .orderBy(asc(action.id))
    .limit(named + 1);
  if (rows.length === 0) return [];
  const ids = rows.slice(0, named).map(({ id }) => id);
  const more = rows.length > named ? ', and more' : '';
  const what = rows.length === 1 ? 'an action that is waiting' : 'actions that are waiting';
  return [`${what} to be signed: ${ids.join(', ')}${more}`];
}

/**
 * Describes the ledgers with wallets that only this plugin can serve, because no other active plugin has the
 * tags that they require. Returns one text per ledger, such as `3 wallets on the ledger main`. Empty if the
 * plugin is inactive.
 */
export async function usesOf(tx: Tx, uid: string): Promise<string[]> {
  const plugins = await readPlugins(tx);
  const rest = plugins.filter((plugin) => plugin.uid !== uid);
  const { wallet, ledger } = tx.t;
  const rows = await tx.db
    .select({ projectId: wallet.projectId, ledgerUid: wallet.ledgerUid, wallets: count() })
    .from(wallet)
    .groupBy(wallet.projectId, wallet.ledgerUid);
  const uses = new Map<string, number>();
  for (const { projectId, ledgerUid, wallets } of rows) {
    const [row] = await tx.db.select().from(ledger).where(eq(ledger.uid, ledgerUid));
    if (row === undefined) continue;
    const record = ledgerRecord(row, [], closed);
    const served = serves(plugins, record, projectId);
    if (served?.uid !== uid || serves(rest, record, projectId) !== null) continue;
    uses.set(record.ledgerId, (uses.get(record.ledgerId) ?? 0) + wallets);
  }
  return [...uses].map(
    ([ledgerId, wallets]) => `${wallets} ${wallets === 1 ? 'wallet' : 'wallets'} on the ledger ${ledgerId}`,
  );
}

/**
 * Rejects another URL for a remote plugin that holds keys of wallets. The wallets' secrets are only
 * sent to the URL at which the wallets were created, so a new URL would make them unusable.
 * @throws Problem `in-use` with the number of wallets
 */
export async function refuseLostWallets(
  { db, t: { wallet } }: Queries,
  { name, url, scope }: Pick<PluginRow, 'name' | 'url' | 'scope'>,
): Promise<void> {
  const projectUid = projectOf(scope);
  // The material of a wallet of a remote plugin is a JSON object with this member.
  const member = JSON.stringify({ url }).slice(1, -1);
  const pattern = `%${member.replaceAll(/[\\%_]/g, (one) => `\\${one}`)}%`;
  const wallets = await db.$count(
    wallet,
    and(
      projectUid === null ? undefined : eq(wallet.projectId, projectUid),
      eq(wallet.keyType, 'remote'),
      sql`${wallet.material} like ${pattern} escape '\\'`,
    ),
  );
  if (wallets === 0) return;
  const its = wallets === 1 ? '1 wallet was' : `${wallets} wallets were`;
  const detail = `${its} created by the plugin ${name} at its present URL, and their secrets are only sent there. Keep the URL, for example with a proxy or a DNS record, or register the new URL as another plugin for new wallets.`;
  throw new Problem('in-use', detail, { errors: [{ pointer: '/url', detail: 'must stay the same' }] });
}

function serves(
  plugins: readonly PluginRecord[],
  ledger: Parameters<typeof choosePlugin>[1],
  projectUid: string,
): PluginRecord | null {
  try {
    return choosePlugin(plugins, ledger, projectUid);
  } catch {
    return null;
  }
}
