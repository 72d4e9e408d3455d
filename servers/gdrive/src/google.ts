// Where Google is. The keys that Google gives out name addresses, too, but they are not used: the client secret would be sent there.

export const SERVICE = 'Google Drive';

/** To see and download files. The server asks for nothing else. */
export const SCOPE = 'https://www.googleapis.com/auth/drive.readonly';

export interface Google {
  /** The address of the Drive API. */
  readonly api: string;
  /** The page where users log in. */
  readonly loginPage: string;
  /** Where tokens are requested. */
  readonly tokenEndpoint: string;
}

export const GOOGLE: Google = {
  api: 'https://www.googleapis.com/drive/v3',
  loginPage: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenEndpoint: 'https://oauth2.googleapis.com/token',
};

/** The same paths at one other address, for tests. */
export function googleAt(url: string): Google {
  return {
    api: new URL('/drive/v3', url).href,
    loginPage: new URL('/o/oauth2/v2/auth', url).href,
    tokenEndpoint: new URL('/token', url).href,
  };
}
