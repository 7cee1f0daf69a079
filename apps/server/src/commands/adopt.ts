import { adoptAs, type Decision } from '../installation/adopt-database.ts';
import { type Command, CommandError } from './command.ts';
import { endsPending } from './end-pending.ts';

const decisions = ['moved', 'copy', 'restored'] as const;

/**
 * Records a decision about a database that was copied, moved, or restored to an earlier state. Until then,
 * servers use it read-only.
 */
export const adopt: Command = {
  about: 'Records whether the database was moved, copied or restored, so that servers accept writes again.',
  more: `Servers use a database read-only if it was copied, moved, or restored to an earlier state. Otherwise, operations that the original has executed could be executed again. Stop all servers of this database, and choose one option. With --copy and --restored, unsigned actions fail at the next start. Signed ones are resent; this has no effect if the ledger already executed them. Updates the schema.`,
  arguments: {},
  options: {
    moved: {
      type: 'boolean',
      about:
        'The original is no longer used, and nothing was executed after this copy was made. Pending actions continue.',
    },
    copy: {
      type: 'boolean',
      about:
        'The original is still used. Unsigned pending actions fail, all webhooks are disabled, and the copy becomes a separate installation.',
    },
    restored: {
      type: 'boolean',
      about:
        'The database was restored to an earlier state, so it may lack operations that were executed later. Unsigned pending actions fail, as with the command end-pending.',
    },
  },
  async run({ options, config }) {
    const [decision, ...others] = decisions.filter((one) => options[one] === true);
    if (decision === undefined || others.length > 0) {
      throw new CommandError('Choose one of --moved, --copy and --restored. Run adopt --help for details.');
    }
    const { pending, webhooks, where } = await adoptAs(decision, config());
    return {
      code: 0,
      lines: [
        done[decision],
        ...(pending === 0 ? [] : [said[decision](pending)]),
        ...(webhooks === 0 ? [] : [disabled(webhooks)]),
      ],
      data: { decision, pending, webhooks, database: where },
    };
  },
};

const done: Readonly<Record<Decision, string>> = {
  moved: 'The installation continues with this database.',
  copy: 'This database is a new installation. Its wallets have the same keys as those of the original.',
  restored: 'The installation continues with this database. Next, run verify, then serve.',
};

const said: Readonly<Record<Decision, (pending: number) => string>> = {
  moved: (pending) => `${pending} pending actions continue at the next start.`,
  copy: endsPending,
  restored: endsPending,
};

const disabled = (webhooks: number) =>
  `${webhooks === 1 ? '1 webhook is' : `${webhooks} webhooks are`} disabled, because the receivers belong to the original. Enable those that the copy needs: ledger-ops webhook enable <webhook>`;
