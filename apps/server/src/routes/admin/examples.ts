const project = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20';
const serviceId = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c21';
const image = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  format: 'png',
};
const role = { identity: { serviceId }, role: { name: 'viewer' } };

/** Bodies that the reference shows, by operationId; a test sends each of them. */
export const examples: Readonly<Record<string, unknown>> = {
  createIdentity: { identifier: 'ada@example.com', type: 'USER', identityProfile: { displayName: 'Ada' } },
  updateIdentityConfig: { items: [{ key: 'language', value: 'en' }] },
  updateIdentityProfile: { displayName: 'Ada Lovelace' },
  setIdentityImage: image,
  createServiceAccount: { name: 'payments', accountId: 'payments', project },
  validateServiceAccountCredentials: { email: 'payments@ledger.example', secret: 'sak_…' },
  createOrganization: { name: 'Example', organizationID: 'example' },
  setOrganizationImage: image,
  createProject: { name: 'Payments', projectID: 'payments', organization: { organizationID: 'example' } },
  createApp: {
    name: 'Shop',
    appId: 'shop',
    projectId: project,
    redirectUris: ['https://shop.example/callback'],
  },
  updateApp: { name: 'Shop', appURL: 'https://shop.example' },
  setAppImage: image,
  inviteUser: {
    userEmail: 'grace@example.com',
    organizationId: 'example',
    message: 'Welcome.',
    invitationResourceRoles: [{ resource: { resourceUUID: project }, role: { name: 'viewer' } }],
  },
  respondToInvitation: { invitationToken: 'inv_…', invitationState: 'REJECTED' },
  createResource: { id: 'reserve', type: 'billing-account', properties: { currency: 'EUR' } },
  createLookupTerm: { value: 'quarterly' },
  createAppIdentityRole: { ...role, app: { appId: 'shop' } },
  setAppRole: { app: { appId: 'shop' }, role: { name: 'application' } },
  createResourceIdentityRole: { ...role, resource: { resourceUUID: project } },
  createAppIdentityProperty: {
    identity: { serviceId },
    app: { appId: 'shop' },
    name: 'plan',
    value: 'basic',
  },
};
