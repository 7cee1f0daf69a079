import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Tables of what happens: actions, their signed transactions, and who works on them. */
export function actionTables(d: Dialect) {
  return {
    /** The action row is the queue: there is no second source of truth. */
    action: d.table(
      'action',
      {
        id: d.text('id').primaryKey(),
        /** The id that its sender chose, by which its project knows it; null: its own id. */
        givenId: d.text('given_id'),
        projectId: d.text('project_id').notNull(),
        appId: d.text('app_id').notNull(),
        /** serviceId of the identity that sent it. */
        caller: d.text('caller').notNull(),
        walletUid: d.text('wallet_uid').notNull(),
        walletId: d.text('wallet_id').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** Chain key (id and genesis): sequences and lanes belong to it. */
        chain: d.text('chain').notNull(),
        /** 0 to 15, from the address. */
        shard: d.int('shard').notNull(),
        address: d.text('address').notNull(),
        intent: d.text('intent').notNull(),
        tag: d.text('tag'),
        context: d.text('context'),
        /** PENDING, SUCCEEDED, FAILED. */
        status: d.text('status').notNull(),
        /** blocked (by dependencies), ready (to estimate and sign), signed, done. */
        stage: d.text('stage').notNull(),
        /** Canonical JSON of the GLO as accepted; its SHA-256 binds the grant. */
        operation: d.text('operation').notNull(),
        /** JSON list of what meta changed in it; null: nothing. */
        overrides: d.text('overrides'),
        /** The adapter's plan, JSON. */
        plan: d.text('plan').notNull(),
        /** Uid of the plugin whose plan it is, or the name of a built-in adapter. Null: the ledger's own choice. */
        plugin: d.text('plugin'),
        /** Most native currency it can take, decimal text. */
        cost: d.text('cost').notNull(),
        /** Sequence demanded by the caller. */
        sequence: d.int('sequence'),
        /** Dependencies that have not SUCCEEDED yet. */
        blockers: d.int('blockers').notNull(),
        /** Height that an estimate must see. */
        minHeight: d.int('min_height').notNull(),
        /** Why it is still pending, as last seen, in words for people. */
        waiting: d.text('waiting'),
        /** The same, as programs tell reasons apart; null: as its stage says. */
        waitingCode: d.text('waiting_code'),
        /** Since when that code has held. */
        waitingSince: d.int('waiting_since'),
        /** The open request while it is signed: cancel, hurry. Null: nothing, or it is done. */
        change: d.text('change'),
        /** Of a request to hurry: the most for a unit of the ledger's fee, decimal text; null: the ledger's own cap alone. */
        changeCap: d.text('change_cap'),
        /** Problem JSON of a FAILED action. */
        problem: d.text('problem'),
        locator: d.text('locator'),
        contractAddress: d.text('contract_address'),
        height: d.int('height'),
        /** When that block was made, as the ledger says; null: it does not. */
        blockTime: d.int('block_time'),
        fee: d.text('fee'),
        /** More that the ledger told of its end, JSON. */
        details: d.text('details'),
        /** JSON `{at, detail, by}` while the ledger does not show any more what the action ended with; its end stays. */
        retracted: d.text('retracted'),
        /** When the ledger did so first, if ever. */
        retractedAt: d.int('retracted_at'),
        deadline: d.int('deadline').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
        /** Null while it is pending. */
        endedAt: d.int('ended_at'),
        /** When a node took one of its transactions first, as far as the server knew that followed it to its end. */
        sentAt: d.int('sent_at'),
        /** JSON list of parties beside the sender, as lists name them: accounts that receive, wallets that sign too; null: none. */
        receivers: d.text('receivers'),
        /** W3C trace context that it was accepted in; null: one made of its id. */
        trace: d.text('trace'),
      },
      (t) => [
        d.index('action_intent').on(t.intent, t.projectId, t.walletUid, t.status, t.createdAt, t.id),
        d
          .index('action_lane')
          .on(t.chain, t.shard, t.stage, t.createdAt, t.id)
          .where(sql`status = 'PENDING'`),
        d.index('action_change').on(t.chain).where(sql`status = 'PENDING' and change is not null`),
        // Of the overview, newest first: one project's, what is pending, what failed. The condition holds for all actions,
        // and keeps the index from statements that do not name it: they have better ones.
        d.index('action_project').on(t.projectId, t.id).where(sql`stage <> ''`),
        d
          .index('action_pending')
          .on(t.id, t.stage, t.waitingCode, t.projectId, t.ledgerId, t.walletUid)
          .where(sql`status = 'PENDING'`),
        d.index('action_failed').on(t.id).where(sql`status = 'FAILED'`),
        d.index('action_updated').on(t.updatedAt, t.id),
        d.index('action_retracted').on(t.ledgerId).where(sql`retracted_at is not null`),
        d.uniqueIndex('action_given').on(t.givenId, t.projectId).where(sql`given_id is not null`),
      ],
    ),

    /** Ids that clients chose for actions that are removed: none is taken twice. */
    removedAction: d.table(
      'removed_action',
      { projectId: d.text('project_id').notNull(), givenId: d.text('given_id').notNull() },
      (t) => [d.primaryKey(t.projectId, t.givenId)],
    ),

    /** How the contract that an action deploys is to be registered, where its sender said so. */
    deployment: d.table(
      'deployment',
      {
        actionId: d.text('action_id').primaryKey(),
        projectId: d.text('project_id').notNull(),
        contractId: d.text('contract_id').notNull(),
        /** Null: the contract's id. */
        name: d.text('name'),
      },
      (t) => [d.index('deployment_contract').on(t.projectId, t.contractId)],
    ),

    actionDependency: d.table(
      'action_dependency',
      {
        actionId: d.text('action_id').notNull(),
        dependencyId: d.text('dependency_id').notNull(),
        position: d.int('position').notNull(),
      },
      (t) => [
        d.primaryKey(t.actionId, t.dependencyId),
        d.index('action_dependency_reverse').on(t.dependencyId),
      ],
    ),

    /**
     * Lists that actions stand in, so that a search reads a page of them in order and counts nothing. A list holds the
     * actions of one party that agree in all of these columns: an action that ends moves to another one.
     */
    actionListing: d.table(
      'action_listing',
      {
        /** Hash of the other columns. */
        id: d.text('id').primaryKey(),
        /**
         * `w:<wallet uid>` for a sender, `a:<chain id>:<address>` for a receiver, `p:<project uid>` for a project, which is
         * only counted; of the first two also with `#<tag>`.
         */
        party: d.text('party').notNull(),
        /** own: as their project sees them, by acceptance. public: as the ledger shows them to everybody, by their end. */
        shown: d.text('shown').notNull(),
        projectId: d.text('project_id').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** Of what is public; else empty. */
        chain: d.text('chain').notNull(),
        status: d.text('status').notNull(),
      },
      (t) => [d.index('action_listing_party').on(t.party)],
    ),

    /** An action in a list, in the order of `at` and `name`. */
    actionListed: d.table(
      'action_listed',
      {
        listing: d.text('listing').notNull(),
        at: d.int('at').notNull(),
        /** As the list shows it: its project's id of it, or its transaction. */
        name: d.text('name').notNull(),
        actionId: d.text('action_id').notNull(),
      },
      (t) => [d.primaryKey(t.listing, t.at, t.name, t.actionId)],
    ),

    /** How many actions a list has in a span of time: the sum over the slots. */
    actionTally: d.table(
      'action_tally',
      {
        listing: d.text('listing').notNull(),
        /** The span's length, the shortest 0; the highest is all time. */
        level: d.int('level').notNull(),
        /** Number of the span since the epoch. */
        span: d.int('span').notNull(),
        /** Transactions of several servers choose among some, so that they seldom wait for each other. */
        slot: d.int('slot').notNull(),
        n: d.int('n').notNull(),
      },
      (t) => [d.primaryKey(t.listing, t.level, t.span, t.slot)],
    ),

    /** A signed transaction. Signed bytes are durable before they are sent, and count as sent. */
    attempt: d.table(
      'attempt',
      {
        txId: d.text('tx_id').notNull(),
        actionId: d.text('action_id').notNull(),
        /** Counts the action's transactions, over all its steps; below zero those that only fill a sequence. */
        n: d.int('n').notNull(),
        /** main, bump, noop; filler: an empty one at a lower sequence, which decides nothing of the action. */
        kind: d.text('kind').notNull(),
        chain: d.text('chain').notNull(),
        shard: d.int('shard').notNull(),
        address: d.text('address').notNull(),
        sequence: d.int('sequence'),
        /** Erased some time after the outcome; the row stays for look-ups. */
        bytes: d.bytes('bytes'),
        cost: d.text('cost').notNull(),
        /** The ledger's own id of it, where it has told one: then it is sent no more. */
        note: d.text('note'),
        /** The last height at which the ledger may execute it; null: it does not expire. */
        validUntil: d.int('valid_until'),
        createdAt: d.int('created_at').notNull(),
        /** When its outcome, or that of its action, was written. */
        settledAt: d.int('settled_at'),
        /** The ledger's newest block when it was signed, as far as it was known. */
        height: d.int('height'),
        /** Why a replacement was made, JSON. */
        reason: d.text('reason'),
        /**
         * Of an action whose replacements are signed when they are needed, on its first transaction: what signs them,
         * and the part of the plan that is not stored in the clear, sealed. Erased with the action's end.
         */
        sealed: d.bytes('sealed'),
        secret: d.bytes('secret'),
      },
      (t) => [
        // A development chain that starts anew may see the same transaction again.
        d.primaryKey(t.chain, t.txId),
        d.index('attempt_tx').on(t.txId),
        // One transaction for each step of an action: the last line against two.
        d.uniqueIndex('attempt_action').on(t.actionId, t.n),
        // One action per sequence: the last line against signing twice.
        d.uniqueIndex('attempt_sequence').on(t.chain, t.address, t.sequence, t.n),
        d.index('attempt_kept').on(t.chain, t.shard, t.settledAt).where(sql`bytes is not null`),
      ],
    ),

    /** Kept for an accepted action in order to sign for the first time; erased when that is done, at the latest with its end. */
    grant: d.table('action_grant', {
      actionId: d.text('action_id').primaryKey(),
      sealed: d.bytes('sealed').notNull(),
      /** The part of the plan that is not stored in the clear, sealed. */
      secret: d.bytes('secret'),
      /** JSON: the other wallets that sign, each with its key sealed for the action; null: none. */
      others: d.text('others'),
    }),

    /** Ledgers, wallets and projects for which nothing is signed. */
    suspension: d.table(
      'suspension',
      {
        /** Uid of a ledger, a wallet or a project. */
        subject: d.text('subject').primaryKey(),
        id: d.text('id').notNull(),
        /** ledger, wallet, project. */
        kind: d.text('kind').notNull(),
        /** The id that people see. */
        name: d.text('name').notNull(),
        /** Uid of its project, or of the system. */
        scope: d.text('scope').notNull(),
        reason: d.text('reason').notNull(),
        /** serviceId. */
        createdBy: d.text('created_by').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('suspension_id').on(t.id)],
    ),

    /** Next sequence of an account. Belongs to the chain, not to a ledger record. */
    sequence: d.table(
      'sequence',
      {
        chain: d.text('chain').notNull(),
        address: d.text('address').notNull(),
        next: d.int('next').notNull(),
        /** The highest one whose transaction the ledger took, of actions that are removed; null: none is. */
        removed: d.int('removed'),
      },
      (t) => [d.primaryKey(t.chain, t.address)],
    ),

    /** A shard of a chain's accounts, leased to one server. Every write checks owner and epoch. */
    lane: d.table(
      'lane',
      {
        chain: d.text('chain').notNull(),
        shard: d.int('shard').notNull(),
        owner: d.text('owner').notNull(),
        epoch: d.int('epoch').notNull(),
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.primaryKey(t.chain, t.shard)],
    ),

    /** Servers that work on a chain, so that each takes only its fair share of the lanes. */
    laneServer: d.table(
      'lane_server',
      {
        chain: d.text('chain').notNull(),
        owner: d.text('owner').notNull(),
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.primaryKey(t.chain, t.owner)],
    ),

    /**
     * How far a ledger's confirmed blocks were read. Tells after a restart whether the chain lost history, and whether
     * there is something that it may have lost.
     */
    chainMark: d.table('chain_mark', {
      ledgerUid: d.text('ledger_uid').primaryKey(),
      chain: d.text('chain').notNull(),
      height: d.int('height').notNull(),
      hash: d.text('hash').notNull(),
      /** When an action of the ledger ended last; null: not since the mark is kept. */
      settledAt: d.int('settled_at'),
    }),

    /** Chains whose history was lost beyond repair: sequences start anew under another key. */
    chainReset: d.table('chain_reset', {
      /** Chain id and genesis. */
      chain: d.text('chain').primaryKey(),
      resets: d.int('resets').notNull(),
    }),

    /** Answers of creating requests, kept for 24 hours; written in the transaction that creates. */
    idempotency: d.table(
      'idempotency',
      {
        /** Who asked: application and identity. */
        scope: d.text('scope').notNull(),
        key: d.text('key').notNull(),
        /** HMAC over method, path and the body without its secrets. */
        fingerprint: d.text('fingerprint').notNull(),
        status: d.int('status').notNull(),
        /** Response JSON; null when it carried a secret that is shown once. */
        body: d.text('body'),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.primaryKey(t.scope, t.key), d.index('idempotency_age').on(t.createdAt)],
    ),
  };
}
