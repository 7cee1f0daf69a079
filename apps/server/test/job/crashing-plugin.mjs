// The Ethereum adapter in a process that exits a second after its first `submit`.
import ethereum from '@ledger-ops/plugin-ethereum';

let dying = false;

export default {
  ...ethereum,
  name: 'crashing',
  async open(ledger, host) {
    const session = await ethereum.open(ledger, host);
    return {
      ...session,
      async submit(submissions) {
        if (!dying) setTimeout(() => process.exit(1), 1_000);
        dying = true;
        return session.submit(submissions);
      },
    };
  },
};
