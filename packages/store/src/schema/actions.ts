import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Actions, their signed transactions, and the servers that process them. */
export function actionTables(d: Dialect) {
  return {
    /** The table of actions is also the queue: no other table contains which actions are pending. */
    action: d.table(
      'action',
      {
        id: d.text('id').primaryKey(),
        /**
         * The id that the caller chose for the action. It identifies the action in its project. If it is null, `id`
         * does.
         */
        givenId: d.text('given_id'),
        projectId: d.text('project_id').notNull(),
        appId: d.text('app_id').notNull(),
        /** serviceId of the caller: the person or service account that sent the action. */
        caller: d.text('caller').notNull(),
        walletUid: d.text('wallet_uid').notNull(),
        walletId: d.text('wallet_id').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** Key of the chain (its id, genesis and number of resets), to which sequences and lanes belong. */
        chain: d.text('chain').notNull(),
        /** Shard of the chain's accounts, from 0 to 15, derived from the address. */
        shard: d.int('shard').notNull(),
        address: d.text('address').notNull(),
        intent: d.text('intent').notNull(),
        tag: d.text('tag'),
        context: d.text('context'),
        /** PENDING, SUCCEEDED, FAILED. */
        status: d.text('status').notNull(),
        /** blocked (by dependencies), ready (to be estimated and signed), signed, done. */
        stage: d.text('stage').notNull(),
        /** Canonical JSON of the GLO as accepted. The grant is bound to the SHA-256 of this text. */
        operation: d.text('operation').notNull(),
        /** JSON list of the options that `meta` replaced; null if there are none. */
        overrides: d.text('overrides'),
        /** JSON of the plan that the adapter created. */
        plan: d.text('plan').notNull(),
        /**
         * Uid of the plugin that created the plan, or the name of a built-in adapter. Null if any plugin that serves
         * the ledger can be used.
         */
        plugin: d.text('plugin'),
        /** The maximum amount of native currency that the action can spend, as decimal text. */
        cost: d.text('cost').notNull(),
        /** The sequence (nonce) that the caller demands; null if none. */
        sequence: d.int('sequence'),
        /** Number of dependencies that have not SUCCEEDED yet. */
        blockers: d.int('blockers').notNull(),
        /** Block height that a node must have reached before the action can be estimated. */
        minHeight: d.int('min_height').notNull(),
        /** The last known reason for users why the action is pending. */
        waiting: d.text('waiting'),
        /** Code of that reason for programs; null if the reason follows from `stage`. */
        waitingCode: d.text('waiting_code'),
        /** The time since which `waitingCode` has had this value. */
        waitingSince: d.int('waiting_since'),
        /**
         * The open change request: cancel or hurry. `expired` if the action's last transaction expired and the next one
         * is not signed yet. Null otherwise.
         */
        change: d.text('change'),
        /** For a hurry request: the maximum fee per unit as decimal text; null if only the ledger's own cap applies. */
        changeCap: d.text('change_cap'),
        /** JSON of the problem of a FAILED action. */
        problem: d.text('problem'),
        locator: d.text('locator'),
        contractAddress: d.text('contract_address'),
        height: d.int('height'),
        /** The ledger's timestamp of the block; null if the ledger does not report it. */
        blockTime: d.int('block_time'),
        fee: d.text('fee'),
        /** JSON of further results that the ledger reported. */
        details: d.text('details'),
        /**
         * JSON `{at, detail, by}` as long as the ledger no longer contains the result of the finished action. The
         * status does not change.
         */
        retracted: d.text('retracted'),
        /** When the action was first retracted; null if it never was. */
        retractedAt: d.int('retracted_at'),
        deadline: d.int('deadline').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
        /** When the action finished; null while it is pending. */
        endedAt: d.int('ended_at'),
        /**
         * When a node first accepted one of the action's transactions. The server that followed the action stores this
         * time when the action completes; null if that server does not know it.
         */
        sentAt: d.int('sent_at'),
        /**
         * JSON list of the parties other than the sending wallet, named as in listings: receiving accounts and
         * co-signing wallets. Null if there are none.
         */
        receivers: d.text('receivers'),
        /**
         * W3C trace context of the request that created the action; null if it is derived from the action's
         * id.
         */
        trace: d.text('trace'),
        /**
         * Number of bytes that the action added to its organization's usage; null if there are none, or if the number
         * is in `large_action`.
         */
        storedBytes: d.int('stored_bytes'),
        /**
         * Hash of the caller and the Idempotency-Key of the action's request; null if the request had no key.
         */
        requestKey: d.text('request_key'),
        /** Fingerprint of that request; see `idempotency`. */
        requestFingerprint: d.text('request_fingerprint'),
        /** 0 for the only operation of a request; counted from 1 in a batch. */
        requestPosition: d.int('request_position'),
      },
      (t) => [
        // Columns that change come last, so that an updated entry stays on the same index page.
        d.index('action_intent').on(t.intent, t.projectId, t.createdAt, t.id, t.walletUid, t.status),
        d
          .index('action_lane')
          .on(t.chain, t.shard, t.stage, t.createdAt, t.id)
          .where(sql`status = 'PENDING'`),
        d.index('action_change').on(t.chain).where(sql`status = 'PENDING' and change is not null`),
        // The next three indexes serve the overview: of a project's actions, of pending and of failed actions, newest
        // first. The condition of the first one is true for every action. It only prevents other statements, for which
        // better indexes exist, from using this index.
        d.index('action_project').on(t.projectId, t.id).where(sql`stage <> ''`),
        d
          .index('action_pending')
          .on(t.id, t.stage, t.waitingCode, t.projectId, t.ledgerId, t.walletUid)
          .where(sql`status = 'PENDING'`),
        d.index('action_failed').on(t.id).where(sql`status = 'FAILED'`),
        d.index('action_updated').on(t.updatedAt, t.id),
        d.index('action_tag').on(t.projectId, t.tag, t.id).where(sql`tag is not null`),
        d.index('action_retracted').on(t.ledgerId).where(sql`retracted_at is not null`),
        d.uniqueIndex('action_given').on(t.givenId, t.projectId).where(sql`given_id is not null`),
        // An Idempotency-Key stays valid as long as its actions are stored, which is longer than its row in
        // `idempotency`.
        d
          .uniqueIndex('action_request')
          .on(t.requestKey, t.requestPosition)
          .where(sql`request_key is not null`),
      ],
    ),

    /** Ids that clients chose for actions that are removed by now. They cannot be used again. */
    removedAction: d.table(
      'removed_action',
      { projectId: d.text('project_id').notNull(), givenId: d.text('given_id').notNull() },
      (t) => [d.primaryKey(t.projectId, t.givenId)],
    ),

    /** How to register the contract that an action deploys, if the caller specified it. */
    deployment: d.table(
      'deployment',
      {
        actionId: d.text('action_id').primaryKey(),
        projectId: d.text('project_id').notNull(),
        contractId: d.text('contract_id').notNull(),
        /** Name of the contract; if null, its id is used. */
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
     * One row per listing. A listing contains the actions of one party that have the same values in all columns below,
     * so that a search can read a page in order. Totals are in `action_tally`. An action that completes moves to
     * another listing.
     */
    actionListing: d.table(
      'action_listing',
      {
        /** Hash of the other columns. */
        id: d.text('id').primaryKey(),
        /**
         * `w:<wallet uid>` for a sending wallet, `a:<chain id>:<address>` for a receiver, `p:<project uid>` for a
         * project, whose actions are only counted. Listings of wallets and receivers also exist per tag, with the
         * suffix `#<tag>`.
         */
        party: d.text('party').notNull(),
        /**
         * own: visible to the project, ordered by the time of acceptance. public: visible to everybody on the ledger,
         * ordered by the time of completion.
         */
        shown: d.text('shown').notNull(),
        projectId: d.text('project_id').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** Key of the chain, for public listings; otherwise empty. */
        chain: d.text('chain').notNull(),
        status: d.text('status').notNull(),
      },
      (t) => [d.index('action_listing_party').on(t.party)],
    ),

    /** An entry of a listing: an action. Entries are ordered by `at` and `name`. */
    actionListed: d.table(
      'action_listed',
      {
        listing: d.text('listing').notNull(),
        at: d.int('at').notNull(),
        /** Name of the action in the listing: its id in the project, or its transaction id. */
        name: d.text('name').notNull(),
        actionId: d.text('action_id').notNull(),
      },
      (t) => [d.primaryKey(t.listing, t.at, t.name, t.actionId)],
    ),

    /** Number of actions of a listing in a time span, which is the sum over all slots. */
    actionTally: d.table(
      'action_tally',
      {
        listing: d.text('listing').notNull(),
        /** Level of the span's length. Level 0 is the shortest, and the highest level covers all time. */
        level: d.int('level').notNull(),
        /** Number of the span since the epoch. */
        span: d.int('span').notNull(),
        /** Concurrent database transactions write to different slots, so that they rarely wait for each other. */
        slot: d.int('slot').notNull(),
        n: d.int('n').notNull(),
      },
      (t) => [d.primaryKey(t.listing, t.level, t.span, t.slot)],
    ),

    /**
     * Numbers of finished actions of a project, by time span, ledger, outcome and duration. Charts read these few rows
     * instead of all actions.
     */
    actionSummary: d.table(
      'action_summary',
      {
        projectUid: d.text('project_uid').notNull(),
        /** Level of the span's length, from short to long. */
        level: d.int('level').notNull(),
        /** Number of the span since the epoch. */
        span: d.int('span').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        /** succeeded, failed, canceled. */
        outcome: d.text('outcome').notNull(),
        /** Class of the time from acceptance to completion. There are four classes per doubling of the time. */
        duration: d.int('duration').notNull(),
        /** Concurrent database transactions write to different slots, so that they rarely wait for each other. */
        slot: d.int('slot').notNull(),
        n: d.int('n').notNull(),
        /**
         * Upper part of the sum of the fees, which is `fee_high` · 10^12 + `fee_low` in the smallest unit. The sum can
         * exceed 64 bits.
         */
        feeHigh: d.int('fee_high').notNull(),
        feeLow: d.int('fee_low').notNull(),
      },
      (t) => [d.primaryKey(t.level, t.span, t.projectUid, t.ledgerUid, t.outcome, t.duration, t.slot)],
    ),

    /** A signed transaction. Its bytes are stored before it is sent. From then on, it counts as sent. */
    attempt: d.table(
      'attempt',
      {
        txId: d.text('tx_id').notNull(),
        actionId: d.text('action_id').notNull(),
        /**
         * Number of the transaction within its action, counted across all steps. Fillers have negative numbers, and
         * outside transactions numbers from 1,000 on.
         */
        n: d.int('n').notNull(),
        /**
         * main, bump or noop. filler: an empty transaction with a lower sequence, which does not affect the action's
         * outcome. outside: a transaction that the service did not sign, and by which a user marked the action as
         * executed.
         */
        kind: d.text('kind').notNull(),
        chain: d.text('chain').notNull(),
        shard: d.int('shard').notNull(),
        address: d.text('address').notNull(),
        sequence: d.int('sequence'),
        /** The signed bytes. They are erased some time after the outcome, but the row is kept for lookups. */
        bytes: d.bytes('bytes'),
        cost: d.text('cost').notNull(),
        /** The ledger's own id of the transaction. Once it is known, the transaction is not sent again. */
        note: d.text('note'),
        /**
         * Last height at which the ledger may execute the transaction; null if the transaction does not
         * expire.
         */
        validUntil: d.int('valid_until'),
        /**
         * JSON list of the claims that the adapter assigned. Null if it assigned none, or if the claim is `sequence`.
         */
        claims: d.text('claims'),
        /**
         * JSON list of the transactions that must be executed before this one, with their claims; null if there are
         * none.
         */
        needs: d.text('needs'),
        createdAt: d.int('created_at').notNull(),
        /** When the outcome of the transaction, or of its action, was stored. */
        settledAt: d.int('settled_at'),
        /** The ledger's newest known block height when the transaction was signed. */
        height: d.int('height'),
        /** JSON of the reason why a replacement was signed. */
        reason: d.text('reason'),
        /**
         * `sealed` is the encrypted signing grant, and `secret` the encrypted part of the plan that must not be stored
         * in plain text. Set only on the first transaction of an action whose replacements are signed on demand. Erased
         * when the action completes.
         */
        sealed: d.bytes('sealed'),
        secret: d.bytes('secret'),
      },
      (t) => [
        // A restarted development chain may produce the same transaction again. The transaction id is the first column,
        // because searches know only the id.
        d.primaryKey(t.txId, t.chain),
        // At most one transaction has a number within its action: the final safeguard against duplicates.
        d.uniqueIndex('attempt_action').on(t.actionId, t.n),
        // At most one action has a sequence: the final safeguard against signing a sequence twice.
        d.uniqueIndex('attempt_sequence').on(t.chain, t.address, t.sequence, t.n),
        d.index('attempt_kept').on(t.chain, t.shard, t.settledAt).where(sql`bytes is not null`),
      ],
    ),

    /**
     * The claims that adapters assigned to unsettled attempts, and to executed attempts whose bytes are kept. No two
     * actions hold the same claim. Sequences have no rows here, because `attempt_sequence` is unique.
     */
    claim: d.table(
      'claim',
      {
        chain: d.text('chain').notNull(),
        claim: d.text('claim').notNull(),
        actionId: d.text('action_id').notNull(),
      },
      (t) => [d.primaryKey(t.chain, t.claim), d.index('claim_action').on(t.actionId)],
    ),

    /**
     * The data with which an accepted action is signed for the first time. Erased after that, or when the action
     * completes.
     */
    grant: d.table('action_grant', {
      actionId: d.text('action_id').primaryKey(),
      sealed: d.bytes('sealed').notNull(),
      /** The encrypted part of the plan that must not be stored in plain text. */
      secret: d.bytes('secret'),
      /**
       * JSON list of the co-signing wallets, each with its key, which is encrypted for this action. Null if there are
       * none.
       */
      others: d.text('others'),
    }),

    /** Suspended ledgers, wallets and projects. Nothing is signed for them. */
    suspension: d.table(
      'suspension',
      {
        /** Uid of a ledger, a wallet or a project. */
        subject: d.text('subject').primaryKey(),
        id: d.text('id').notNull(),
        /** ledger, wallet, project. */
        kind: d.text('kind').notNull(),
        /** Id of the resource, which users see. */
        name: d.text('name').notNull(),
        /** Uid of the resource's project, or of the system. */
        scope: d.text('scope').notNull(),
        reason: d.text('reason').notNull(),
        /** serviceId of the person or service account that suspended the resource. */
        createdBy: d.text('created_by').notNull(),
        createdAt: d.int('created_at').notNull(),
        /**
         * unknown-transactions: the wallet has unknown transactions. Null if a user or the promotion of a standby
         * suspended it.
         */
        cause: d.text('cause'),
      },
      (t) => [d.uniqueIndex('suspension_id').on(t.id)],
    ),

    /**
     * Unknown transactions of exclusive accounts: they are on the ledger, but not in the database. They are kept until
     * a user resumes the wallet.
     */
    unknownTransaction: d.table(
      'unknown_transaction',
      {
        chain: d.text('chain').notNull(),
        address: d.text('address').notNull(),
        /** `nonce:<sequence>` or, on ledgers without sequences, the id of the transaction. */
        name: d.text('name').notNull(),
        /** The transaction's sequence; null on ledgers without sequences. */
        sequence: d.int('sequence'),
        /** Id of the transaction; null if it is not known which transaction used the sequence. */
        txId: d.text('tx_id'),
        /**
         * On ledgers without sequences: the height up to which the account's transactions had been read when this one
         * was found.
         */
        height: d.int('height'),
        foundAt: d.int('found_at').notNull(),
      },
      (t) => [d.primaryKey(t.chain, t.address, t.name)],
    ),

    /**
     * Exclusive accounts on ledgers without sequences, each with the height up to which its transactions on
     * the ledger were compared with the database.
     */
    comparedAccount: d.table(
      'compared_account',
      {
        chain: d.text('chain').notNull(),
        address: d.text('address').notNull(),
        height: d.int('height').notNull(),
        /** When the account was last completely compared with the ledger; null if it never was. */
        comparedAt: d.int('compared_at'),
        /**
         * Why the last comparison was incomplete. Null if it was complete or the account was never compared.
         */
        incomplete: d.text('incomplete'),
      },
      (t) => [
        d.primaryKey(t.chain, t.address),
        d.index('compared_account_incomplete').on(t.address).where(sql`incomplete is not null`),
      ],
    ),

    /**
     * Unsigned actions that a user released from an unknown transaction, because that transaction did not execute them.
     * Kept as long as the row of the unknown transaction.
     */
    actionRelease: d.table(
      'action_release',
      {
        actionId: d.text('action_id').notNull(),
        /** Key of a row of `unknown_transaction`. */
        unknownId: d.text('unknown_id').notNull(),
      },
      (t) => [d.primaryKey(t.actionId, t.unknownId), d.index('action_release_unknown').on(t.unknownId)],
    ),

    /** Next sequence of an account. It belongs to the chain, so several ledger records on the same chain share it. */
    sequence: d.table(
      'sequence',
      {
        chain: d.text('chain').notNull(),
        address: d.text('address').notNull(),
        next: d.int('next').notNull(),
        /** Highest sequence that removed actions used on the ledger; null if there is none. */
        removed: d.int('removed'),
      },
      (t) => [d.primaryKey(t.chain, t.address)],
    ),

    /**
     * A shard of a chain's accounts, and the server to which it is leased. Every write for the shard checks `owner` and
     * `epoch`.
     */
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

    /** Servers that work on a chain. Each of them takes only its fair share of the lanes. */
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
     * The last confirmed block that was read from each ledger. After a restart, it shows whether the chain lost blocks,
     * and whether this could affect any action.
     */
    chainMark: d.table('chain_mark', {
      ledgerUid: d.text('ledger_uid').primaryKey(),
      chain: d.text('chain').notNull(),
      height: d.int('height').notNull(),
      hash: d.text('hash').notNull(),
      /** When an action of the ledger was last settled; null if none was settled since this mark was first stored. */
      settledAt: d.int('settled_at'),
    }),

    /**
     * Chains whose history was lost beyond repair, each with the number of times. Their sequences restart under a new
     * chain key.
     */
    chainReset: d.table('chain_reset', {
      /** Chain id and genesis. */
      chain: d.text('chain').primaryKey(),
      resets: d.int('resets').notNull(),
    }),

    /**
     * Responses to requests with an Idempotency-Key, kept for 24 hours. A response is written in the transaction of its
     * request. Actions keep the key longer, in `request_key`.
     */
    idempotency: d.table(
      'idempotency',
      {
        /** The caller: application and identity. */
        scope: d.text('scope').notNull(),
        key: d.text('key').notNull(),
        /** HMAC over method, path and the body without its secrets. */
        fingerprint: d.text('fingerprint').notNull(),
        status: d.int('status').notNull(),
        /** JSON of the response; null if it contains a secret that is shown only once. */
        body: d.text('body'),
        /** Organization to whose usage the bytes of a long response are added; null for a short response. */
        organizationUid: d.text('organization_uid'),
        bytes: d.int('bytes'),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.primaryKey(t.scope, t.key), d.index('idempotency_age').on(t.createdAt)],
    ),
  };
}
