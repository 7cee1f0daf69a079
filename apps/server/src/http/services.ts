/** The services of the API with their versions (specification, section 9). Each is a tag of the OpenAPI document. */
export const services = {
  'ledger-operations': { title: 'Ledger operations', version: '0.0.59' },
  'cloud-wallet': { title: 'Cloud wallet', version: '0.0.13' },
  'access-control': { title: 'Access control', version: '0.0.9' },
  events: { title: 'Events and webhooks', version: undefined },
  'contract-registry': { title: 'Contract registry', version: '0.0.42' },
  administration: { title: 'Administration', version: undefined },
  plugins: { title: 'Plugins', version: '0.1.2' },
  'ledger-gateway': { title: 'Older ledger gateway (deprecated)', version: '0.0.26' },
  'ledger-nodes': { title: 'Ledgers, nodes and explorers (deprecated)', version: '0.0.19' },
  timeline: { title: 'Timeline (deprecated)', version: '0.0.18' },
  'older-contract-registry': { title: 'Older contract registry (deprecated)', version: '0.0.24' },
  'resource-manager': { title: 'Resource and permission manager (deprecated)', version: '0.0.62' },
  identities: { title: 'Identities (deprecated)', version: '0.0.19' },
  'service-accounts': { title: 'Service accounts (deprecated)', version: '0.0.20' },
  'organization-projects': { title: 'Organizations and projects (deprecated)', version: '0.0.19' },
  apps: { title: 'Applications (deprecated)', version: '0.0.17' },
  invitations: { title: 'Invitations (deprecated)', version: '0.0.25' },
  images: { title: 'Images', version: undefined },
  operations: { title: 'Running the service', version: undefined },
} as const;

export type ServiceName = keyof typeof services;
