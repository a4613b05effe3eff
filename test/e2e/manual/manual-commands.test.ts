import { README } from "../../support/guides/guides.ts";
import { testPages } from "./manual-pages.ts";

testPages([README, ...["agents", "api", "metrics", "security"].map((name) => `.github/docs/${name}.md`)]);
