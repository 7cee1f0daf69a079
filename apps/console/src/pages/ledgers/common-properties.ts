/** JSON Schema of the properties that ledgers of every technology have; a technology describes only its own. */
export const commonProperties = {
  type: 'object',
  properties: {
    confirmations: {
      type: 'integer',
      description: 'Depth at which an outcome is final; 1 is the newest block.',
    },
    max_in_flight: { type: 'integer', description: 'Signed transactions of one wallet under way at once.' },
    polling_interval: { type: 'integer', description: 'Milliseconds between looks for a new block.' },
    rpc_timeout: { type: 'integer', description: 'Milliseconds for one request to a node.' },
    plugin_tags: {
      type: 'array',
      items: { type: 'string' },
      description: 'Tags that its plugin must have beside the technology.',
    },
    development: {
      type: 'boolean',
      description: 'A chain of a development machine: one that is behind is believed.',
    },
    allow_unencrypted: {
      type: 'boolean',
      description: 'Private data and credentials may go to nodes of other machines without TLS.',
    },
  },
};
