import CommandLineTools
import Download

@main
struct EspurrOTA {
    static func main() {
        LibraryStart.prepare()
        Program(
            name: "espurr-ota", summary: "update espurr ears, and say truthfully how it ended",
            verbs: [
                Check.self, List.self, DownloadRelease.self, Inspect.self, Install.self, Status.self, Recover.self,
                History.self, Trust.self, PrintCompletion.self,
            ],
            synonyms: ["update": "install", "upgrade": "install"]
        ).main()
    }
}
