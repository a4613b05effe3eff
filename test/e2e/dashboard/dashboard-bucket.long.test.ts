import { afterAll, expect, test } from "bun:test";
import { REDIRECT } from "../../../src/domain/limits.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { S3Server } from "../../support/peers/s3-server.ts";
import { putFile } from "../../support/server/drives.ts";

const bucket = await S3Server.start("a-bucket");
afterAll(() => bucket[Symbol.asyncDispose]());
const store = bucket.url.replace("127.0.0.1", "localhost");

const dashboard = await openDashboard({
  env: {
    ...bucket.env,
    S3_ENDPOINT: store,
    COFFER_BLOBS: "s3://a-bucket/one",
    COFFER_BLOB_CACHE: "0",
    COFFER_BLOB_REDIRECT: "on",
  },
});
const { owner } = dashboard;

const TEXT = "A long text.\n".repeat(Math.ceil(REDIRECT.bytes / 12));
const id = await putFile(owner, owner.drive, "long.txt", TEXT);
const { token } = await owner.client.post<{ token: string }>("/v0/links", {
  drive_id: owner.drive,
  path: "long.txt",
});

test.each([
  ["its owner", `/drives/${owner.drive}/?file=${id}`],
  ["who has a link", `/s/${token}`],
])("a large file is shown by this server, and saved from the bucket: for %s", async (_, address) => {
  await using page = await dashboard.open(address);
  await page.getByText("A long text.").first().waitFor();
  expect(bucket.asked.filter((asked) => asked.includes("X-Amz-Signature"))).toEqual([]);
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).first().click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("long.txt");
  expect(await Bun.file(await download.path()).text()).toBe(TEXT);
  expect(bucket.asked.filter((asked) => asked.includes("X-Amz-Signature"))).toHaveLength(1);
  bucket.asked.splice(0);
});

test("the page of the server says where the contents are", async () => {
  await using page = await dashboard.open("/server");
  const health = page.getByRole("region", { name: "Health" });
  await health.getByText("The bucket does not tell how much room it has").waitFor();
  await health.getByText("s3://a-bucket/one").waitFor();
  await page.getByText("Nothing: all is well.").waitFor();
});
