/** The services of the interface: one tag of the document each, with the component's version (section 9). */
export const services = {
  'ledger-operations': { title: 'Ledger operations', version: '0.0.59' },
  'cloud-wallet': { title: 'Cloud wallet', version: '0.0.13' },
  'access-control': { title: 'Access control', version: '0.0.9' },
  'contract-registry': { title: 'Contract registry', version: '0.0.42' },
  'older-contract-registry': { title: 'Older contract registry (deprecated)', version: '0.0.24' },
  operations: { title: 'Running the service', version: undefined },
} as const;

/** Name of a service. */
export type ServiceName = keyof typeof services;
