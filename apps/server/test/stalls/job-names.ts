/** Background jobs that send requests and are tested with peers that stall. */
export const stalledJobs = [
  'follow ledgers',
  'sign actions',
  'read contract events',
  'deliver webhooks',
  'probe remote plugins',
] as const;

/**
 * Other background jobs that send requests. For each: what limits the memory for its peers, and the test of
 * that limit.
 */
export const otherJobs: Readonly<Record<string, string>> = {
  'replace late transactions': 'the session of the job that follows the ledger',
  'compare idle accounts':
    'the session of the job that follows the ledger, one account at a time, after a start',
  'renew wallets': 'the clients of Fabric: packages/plugin-fabric/src/gateway/answer-memory.test.ts',
  'send mail': '64 KiB per mail, from the one server of the deployer: packages/auth/test/mail.test.ts',
  'export traces': 'one request at a time, to the one collector of the deployer: test/running/traces.test.ts',
};
