import type { MasterKey } from '@ledger-ops/base';
import { backoff } from '@ledger-ops/base/backoff';
import { type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Timing } from '../../timing.ts';
import type { AdminLogger } from '../logger.ts';
import type { MailMessage, MailTransport } from './mail.ts';

/** Queue of mails that belong to transactions: a mail is sent if and only if its transaction commits. */
export interface Outbox {
  /** Sends the mail after the commit, and retries after a failure. A crash loses no mail. */
  add(tx: Tx, message: MailMessage): Promise<void>;
  /**
   * Sends due mail, one after the other. Several servers may do so concurrently. Never rejects. If a mail
   * server stalls, this takes up to a minute per mail, so regular work must not wait for it.
   */
  sweep(): Promise<void>;
  /** Sends no more mail, and waits for mail that is being sent. */
  close(): Promise<void>;
}

export interface OutboxOptions {
  readonly store: Store;
  readonly masterKey: MasterKey;
  readonly transport: MailTransport;
  readonly now: () => number;
  readonly logger: AdminLogger;
  readonly timing: Timing['mails'];
}

const attemptsAtMost = 12;
/** Number of mails that are sent immediately after a commit. Further mails wait for the next sweep. */
const atOnce = 8;
const messageSchema = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  link: z.string().optional(),
});
const purpose = (uid: string) => `mail:${uid}`;

export function createOutbox({ store, masterKey, transport, now, logger, timing }: OutboxOptions): Outbox {
  const underWay = new Set<Promise<void>>();
  let sweeping: Promise<void> | undefined;
  let closed = false;

  const deliver = async (uid: string): Promise<void> => {
    const taking = await store.transaction(async (tx) => {
      const { mail } = tx.t;
      const [row] = await tx.db.select().from(mail).where(eq(mail.uid, uid));
      if (row === undefined || row.dueAt > now()) return undefined;
      const changed = await tx.run(
        'update mail set due_at = $2, attempts = attempts + 1 where uid = $1 and attempts = $3',
        [uid, now() + timing.taken, row.attempts],
      );
      return changed === 0 ? undefined : { sealed: row.sealed, attempts: row.attempts + 1 };
    });
    if (taking === undefined) return;
    try {
      const plain = Buffer.from(masterKey.open(taking.sealed, purpose(uid))).toString('utf8');
      await transport.send(messageSchema.parse(JSON.parse(plain)));
    } catch (error) {
      // Logs only the code: error messages of mail servers may contain addresses.
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      if (taking.attempts >= attemptsAtMost) {
        logger.error({ mail: uid, code, attempts: taking.attempts }, 'mail not sent, giving up');
        await store.transaction((tx) => tx.run('delete from mail where uid = $1', [uid]));
        return;
      }
      logger.error({ mail: uid, code, attempts: taking.attempts }, 'mail not sent, will try again');
      await store.transaction((tx) =>
        tx.run('update mail set due_at = $2 where uid = $1', [
          uid,
          now() + backoff(taking.attempts, timing.again),
        ]),
      );
      return;
    }
    await store.transaction((tx) => tx.run('delete from mail where uid = $1', [uid]));
  };
  const failed = (fields: object, error: unknown) =>
    logger.error(
      { ...fields, error: error instanceof Error ? error.name : 'unknown' },
      'could not send queued mail; will try again',
    );
  const start = (uid: string): Promise<void> => {
    const delivering = deliver(uid)
      .catch((error: unknown) => failed({ mail: uid }, error))
      .finally(() => underWay.delete(delivering));
    underWay.add(delivering);
    return delivering;
  };
  const sendDue = async (): Promise<void> => {
    try {
      const due = await store.read.all<{ uid: string }>(
        'select uid from mail where due_at <= $1 order by due_at limit 100',
        [now()],
      );
      for (const { uid } of due) {
        if (closed) return;
        await start(uid);
      }
    } catch (error) {
      failed({}, error);
    }
  };

  return {
    async add(tx, message) {
      const uid = uuidv7();
      const at = now();
      const sealed = masterKey.seal(Buffer.from(JSON.stringify(message)), purpose(uid));
      await tx.db.insert(tx.t.mail).values({ uid, sealed, attempts: 0, dueAt: at, createdAt: at });
      tx.afterCommit(() => {
        if (!closed && underWay.size < atOnce) void start(uid);
      });
    },
    sweep() {
      sweeping ??= sendDue().finally(() => {
        sweeping = undefined;
      });
      return sweeping;
    },
    async close() {
      closed = true;
      await Promise.all([sweeping, ...underWay]);
    },
  };
}
