extension UpdateRequest {
    /// The most bytes of data with which a chunk request, encoded, has at most `messageLimit` bytes.
    ///
    /// Computed from the encoding. 0 where there is no room for any data; no message is longer than 2 GiB.
    public static func largestChunk(session: UInt32, offset: UInt32, messageLimit: Int) -> Int {
        let limit = min(max(messageLimit, 0), Int(Int32.max))
        let fixed = ChunkRequest(session: session, offset: offset, data: []).encoded().count
        func messageBytes(data: Int) -> Int {
            let content = fixed + WireWriter.lengthDelimitedSize(ChunkRequest.dataField, contentBytes: data)
            return WireWriter.lengthDelimitedSize(chunkField, contentBytes: content)
        }
        // Lengths take more bytes the longer they are: what fits beside the overhead of a whole limit's data
        // fits, and a few bytes more may.
        let overhead = messageBytes(data: limit) - limit
        var data = max(0, limit - overhead)
        while messageBytes(data: data + 1) <= limit { data += 1 }
        return data
    }
}
