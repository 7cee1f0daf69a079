import type { EndProblem, PendingCode } from '@ledger-ops/runtime';
import type { RequestName } from './requests.ts';

/** A thing that a person can do, and the request that does it; null: it is done elsewhere. */
export type Step = readonly [action: string, request: RequestName | null];

/** Why an action has no end yet, and what helps. */
export interface PendingText {
  /** In the place of its name: "It waits: …" */
  waits: string;
  /** Best first; what any action of its stage can be asked is added. */
  next: readonly Step[];
}

const seeEarlier: Step = ['See which earlier actions of its wallet are pending.', 'earlier'];
const seePlugin: Step = ['See which plugin serves its ledger, and why it is not another one.', 'plugin'];
const seeHealth: Step = ['See what the server says of the ledger and its nodes.', 'ledgerHealth'];
const raiseFee: Step = [
  'Offer a higher fee. Where nothing is kept that can sign, the request has to have the wallet’s password.',
  'hurry',
];

/** Each reason why an action is pending. */
export const pendingTexts: Readonly<Record<PendingCode, PendingText>> = {
  dependencies: { waits: 'actions that it depends on have not succeeded yet', next: [] },
  suspended: {
    waits: 'its ledger, its wallet or its project is suspended, and nothing is signed for it meanwhile',
    next: [
      [
        'See what is suspended, since when and why, and have it resumed by who may change it, by the suspension’s id (`DELETE`): it goes on by itself then.',
        'suspensions',
      ],
    ],
  },
  turn: {
    waits:
      'its turn to be prepared and signed has not come; earlier actions of its wallet are signed before it',
    next: [seeEarlier],
  },
  funds: {
    waits: 'its wallet does not hold what its amount and its highest fee come to',
    next: [
      [
        'Send native currency to its wallet from another one. It goes on by itself when that has arrived.',
        'send',
      ],
    ],
  },
  'fee-cap': {
    waits: 'the ledger asks a higher fee than its caps allow',
    next: [
      ['Wait for the fee to fall: it goes on by itself.', null],
      ['Raise the fee caps in the properties of the ledger.', 'ledger'],
    ],
  },
  approvals: {
    waits: 'other organizations have not approved it yet',
    next: [
      [
        'Have each organization that is missing send the same deployment from a wallet of its own. It goes on by itself when they have.',
        'send',
      ],
    ],
  },
  refused: {
    waits: 'the ledger or a node refuses it as things stand; it is tried again',
    next: [seeHealth],
  },
  'earlier-actions': {
    waits:
      'it would fail as things stand, and earlier actions of its wallet, which are under way, may change that',
    next: [seeEarlier],
  },
  'nonce-gap': {
    waits: 'the ledger wants a transaction of its wallet with an earlier nonce first',
    next: [seeEarlier],
  },
  'ledger-unavailable': {
    waits: 'its ledger is not reached, or what its nodes show is in doubt',
    next: [seeHealth, ['Change the properties of the ledger, if they are wrong.', 'ledger']],
  },
  'plugin-unavailable': {
    waits: 'the plugin that planned it does not run on this server',
    next: [seePlugin, ['Have the plugin activated or registered again.', null]],
  },
  'plugin-fault': {
    waits: 'its plugin does not do what plugins have to do',
    next: [seePlugin, ['Have the plugin mended by who made it.', null]],
  },
  'next-transaction': {
    waits: 'one of its transactions is over, and the next one is made by itself',
    next: [],
  },
  confirmation: {
    waits: 'it is signed and sent, and no block as deep as its ledger asks has it yet',
    next: [],
  },
  late: {
    waits:
      'the ledger has not taken it in the time that it has; it is raised or given up by itself, as its ledger is set',
    next: [raiseFee, seeHealth],
  },
  expiring: {
    waits:
      'its transaction expires soon, or has; another one is signed by itself once the ledger can never execute that one',
    next: [],
  },
  'ledger-remark': {
    waits: 'the ledger says of itself why it has no outcome',
    next: [seeHealth],
  },
  'change-hindered': {
    waits: 'it was to be cancelled or hurried, and that cannot be done now; it is tried again',
    next: [['Ask for it again, with a higher maxFee where one was given.', 'hurry']],
  },
};

/** An end that is a failure. */
export interface EndText {
  /** In the place of its name: "It failed: …" */
  failed: string;
  next: readonly Step[];
}

const sendAgain: Step = ['Send it again: that is another action.', 'send'];
const sendMended: Step = ['Send it again, mended: that is another action.', 'send'];
const tryDry: Step = ['Find out by a dry run what would go well.', 'emulate'];

/** Each problem that an action can end with. */
export const endTexts: Readonly<Record<EndProblem, EndText>> = {
  'invalid-request': {
    failed: 'an argument is not what the contract or the ledger takes',
    next: [sendMended],
  },
  'unknown-method': { failed: 'the contract has no such method', next: [sendMended] },
  'unknown-contract': { failed: 'there is no contract at that address', next: [sendMended] },
  'not-permitted': {
    failed: 'it is for a contract of the ledger itself, which nobody may call here',
    next: [['Ask such a contract by a dry run, which who may inspect the ledger is allowed to.', 'emulate']],
  },
  'unsupported-operation': {
    failed: 'its ledger cannot do such an operation',
    next: [
      ['See which operations the plugins of each technology have.', 'technologies'],
      ['Send one that its ledger has, or from a wallet on another ledger: that is another action.', 'send'],
    ],
  },
  'wrong-sender': { failed: 'meta names a sender that is not its wallet’s address', next: [sendMended] },
  'wrong-chain': { failed: 'meta names a chain that is not its ledger’s', next: [sendMended] },
  'insufficient-funds': {
    failed: 'its wallet did not hold enough',
    next: [['Send native currency to its wallet from another one.', 'send'], sendAgain],
  },
  'not-preparable': {
    failed:
      'no transaction could be made of it that its ledger takes, or what was kept to sign it cannot be used',
    next: [tryDry, sendMended],
  },
  reverted: { failed: 'the contract refused it', next: [tryDry, sendMended] },
  'out-of-gas': {
    failed: 'the gas of its transaction did not suffice',
    next: [['Send it again, with more gas in meta or with none named: that is another action.', 'send']],
  },
  'certificate-invalid': {
    failed: 'its wallet’s certificate cannot be used',
    next: [['Have the certificate renewed by the authority that issued it.', null], sendAgain],
  },
  'endorsement-failed': {
    failed: 'too few peers endorsed it, or they answered differently',
    next: [tryDry, sendMended],
  },
  invalidated: {
    failed:
      'the ledger took its transaction as invalid, since what it had read was changed meanwhile or its policy is not met',
    next: [sendAgain],
  },
  'approvals-missing': {
    failed: 'organizations have still to approve the deployment',
    next: [['Have them send the same deployment, then send it again.', 'send']],
  },
  'ledger-unavailable': { failed: 'its ledger could not be reached', next: [seeHealth, sendAgain] },
  'ledger-timeout': { failed: 'its ledger did not answer in time', next: [seeHealth, sendAgain] },
  'address-not-opened': {
    failed: 'a node of its ledger is not public, and is not opened on this server',
    next: [['Have it opened in the settings of the server.', null], sendAgain],
  },
  'plugin-fault': {
    failed: 'its plugin did not do what plugins have to do',
    next: [seePlugin, ['Have the plugin mended by who made it, then send it again.', 'send']],
  },
  'dependency-failed': {
    failed: 'an action that it depends on failed',
    next: [['Send that one again, then this one with a dependency on it.', 'send']],
  },
  'deadline-passed': {
    failed: 'its deadline passed before it could be signed',
    next: [['Send it again, with a later deadline: that is another action.', 'send']],
  },
  'nonce-conflict': {
    failed: 'meta demanded a nonce that is not the next free one of its wallet',
    next: [['Send it again without a nonce: that is another action.', 'send']],
  },
  'nonce-taken': {
    failed: 'a transaction from outside of this service took its nonce',
    next: [['Find out who else signs with the key of its wallet.', null], sendAgain],
  },
  cancelled: { failed: 'it was cancelled on request', next: [sendAgain] },
  dropped: {
    failed:
      'the ledger did not take it, and an empty transaction took its nonce so that the next of its wallet could go on',
    next: [['Send it again, with a higher fee: that is another action.', 'send']],
  },
  expired: {
    failed: 'the ledger executed none of its transactions while they were valid',
    next: [seeHealth, sendAgain],
  },
  'chain-reset': {
    failed: 'its chain was made anew, or gave up what it had, before this was confirmed',
    next: [sendAgain],
  },
};
