// Must not load test tools: programs that a test starts also use this module, and those tools end a process at SIGTERM.
/** A body of which a test reads only string members, such as ids, states and addresses. */
export type Texts = Record<string, string>;

export interface ApiAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/**
 * Calls the service like a program that knows its URL and credentials. A test that reads more of a body than string
 * members declares the body's type and asserts it.
 */
export interface Api {
  call<Body = Texts>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiAnswer<Body>>;
  /** Returns the body of the response. @throws Error if the response has another status */
  expect<Body = Texts>(status: number, method: string, path: string, body?: unknown): Promise<Body>;
}

/** Credentials with which a service account gets an access token. */
export interface ApiCredentials {
  readonly applicationToken: string;
  readonly appId: string;
  readonly accountId: string;
  readonly apiToken: string;
}

/** @param headers credentials of every request */
export function openApi(url: string, headers: Record<string, string>): Api {
  const call: Api['call'] = async (method, path, body, more = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // HEAD has no body.
    const isJson = text !== '' && response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  return {
    call,
    async expect<Body>(status: number, method: string, path: string, body?: unknown) {
      const answer = await call<Body>(method, path, body);
      if (answer.status === status) return answer.body;
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    },
  };
}

/** Gets an access token, and returns the headers of every request with these credentials. */
export async function headersOf(url: string, credentials: ApiCredentials): Promise<Record<string, string>> {
  const response = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.appId,
      service_account: credentials.accountId,
      client_secret: credentials.apiToken,
    }),
  });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`The token endpoint answered ${response.status}.`);
  return { ApplicationToken: credentials.applicationToken, Authorization: `Bearer ${access_token}` };
}

/** Gets a token by client credentials, and sends it with every request. */
export async function logIn(url: string, credentials: ApiCredentials): Promise<Api> {
  return openApi(url, await headersOf(url, credentials));
}

/** An organization with a project, an application and a service account that owns all of them. */
export interface Tenant extends ApiCredentials {
  readonly api: Api;
  /** Headers of every request by the tenant. */
  readonly headers: Record<string, string>;
  readonly organizationId: string;
  readonly organizationUuid: string;
  readonly projectId: string;
  readonly projectUuid: string;
  readonly appUuid: string;
  readonly serviceId: string;
  readonly email: string;
}

/** Creates a tenant over HTTP. */
export async function addTenant(url: string, administrator: ApiCredentials, name: string): Promise<Tenant> {
  const admin = await logIn(url, administrator);
  const organization = await admin.expect(201, 'POST', '/v1/organizations?assignAuthenticatedUser=false', {
    name: `${name} organization`,
    organizationID: `${name}-organization`,
  });
  const project = await admin.expect(201, 'POST', '/v1/projects', {
    name: `${name} project`,
    projectID: `${name}-project`,
    organization,
  });
  const app = await admin.expect(201, 'POST', '/v1/apps', {
    name: `${name} app`,
    appId: `${name}-app`,
    projectId: project.projectID,
  });
  const { appToken = '' } = await admin.expect(201, 'POST', `/v1/apps/${name}-app/token`);
  const account = await admin.expect(201, 'POST', '/v1/service-accounts', {
    name: `${name} account`,
    accountId: `${name}-account`,
    project,
  });
  const { apiToken = '' } = await admin.expect(
    201,
    'POST',
    `/v1/service-accounts/${name}-account/api-tokens`,
  );
  await admin.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
    identity: { serviceId: account.serviceId },
    resource: { resourceUUID: organization.resourceUUID },
    role: { name: 'owner' },
  });
  await admin.expect(200, 'PUT', `/v1/resource-manager/resources/${organization.resourceUUID}/app-roles`, {
    app,
    role: { name: 'application' },
  });
  const credentials = {
    applicationToken: appToken,
    appId: app.appId ?? '',
    accountId: account.accountId ?? '',
    apiToken,
  };
  const headers = await headersOf(url, credentials);
  return {
    ...credentials,
    api: openApi(url, headers),
    headers,
    organizationId: organization.organizationID ?? '',
    organizationUuid: organization.resourceUUID ?? '',
    projectId: project.projectID ?? '',
    projectUuid: project.resourceUUID ?? '',
    appUuid: app.resourceUUID ?? '',
    serviceId: account.serviceId ?? '',
    email: account.email ?? '',
  };
}

/** Adds a project with its own application to the tenant's organization. Requests are sent by the tenant's account. */
export async function addProject(
  url: string,
  tenant: Tenant,
  projectId: string,
): Promise<Pick<Tenant, 'api' | 'projectId'>> {
  const { api, organizationId, organizationUuid } = tenant;
  await api.expect(201, 'POST', '/v1/admin/projects', { projectId, name: projectId, organizationId });
  const app = await api.expect(201, 'POST', '/v1/apps', { name: projectId, appId: projectId, projectId });
  const { appToken = '' } = await api.expect(201, 'POST', `/v1/apps/${projectId}/token`);
  await api.expect(200, 'PUT', `/v1/resource-manager/resources/${organizationUuid}/app-roles`, {
    app,
    role: { name: 'application' },
  });
  const headers = await headersOf(url, { ...tenant, applicationToken: appToken, appId: projectId });
  return { api: openApi(url, headers), projectId };
}
